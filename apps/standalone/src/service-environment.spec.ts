import { serviceEnvironment } from './service-environment.js';

it('keeps the administrator of the database from every service, and hands the rest on', () => {
  const ours = { PATH: '/bin', NODE_OPTIONS: '--x', PGTZ: 'UTC', DATABASE_URL: 'postgres://root:secret@db/x', PGPASSWORD: 'secret', PGHOST: 'db', PGPASSFILE: '/secrets/pgpass', PGBENCH: 'x', COUNTERSIGN_CONFIG: 'other', APP_PGHOST: 'mine' };
  expect(serviceEnvironment(ours, '/state/planner.json')).toEqual({ PATH: '/bin', NODE_OPTIONS: '--x', APP_PGHOST: 'mine', COUNTERSIGN_LOG: 'warn', COUNTERSIGN_CONFIG: '/state/planner.json' });
  expect(serviceEnvironment({ COUNTERSIGN_LOG: 'debug' }, '/state/planner.json')['COUNTERSIGN_LOG']).toBe('debug');
});
