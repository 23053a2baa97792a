import { AUTHOR_OF, FLOW, SERVICES, STREAM_OF } from '@countersign/contracts';
import { flowText } from '../../scripts/support/flow-text.mjs';
import { read } from './tree.js';

const generated = () => flowText({ services: SERVICES, flow: FLOW, authorOf: AUTHOR_OF, streamOf: STREAM_OF });

describe('docs/FLOW.md', () => {
  it('is what the map says now (npm run flow writes it)', () => {
    expect(read('docs/FLOW.md')).toBe(generated());
  });

  it('shows every service, every fact and every command', () => {
    const text = generated();
    const names = [...SERVICES, ...Object.keys(AUTHOR_OF), ...SERVICES.flatMap((service) => FLOW[service].serves)];
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('changes when the map does', () => {
    const moved = flowText({ services: SERVICES, flow: FLOW, authorOf: { ...AUTHOR_OF, 'plan.Evaluated': 'executor' }, streamOf: STREAM_OF });
    expect(moved).not.toBe(generated());
  });
});
