import { jest } from '@jest/globals';
import { eventLogContract } from '../../event-log/src/contract-suite.js';
import { logUnderTest } from '../test/broker-under-test.js';

jest.setTimeout(120_000);

eventLogContract('three JetStream servers', () => logUnderTest({ nodes: 3 }), { races: 200 });
