import { planFacts } from '@countersign/testkit';
import { PLAN_ID, policyInMemory } from '../test/policy-in-memory.js';

/** Operations of the same names, kinds and risks, made by a tool server or by a slash command. */
const madeBy = (category: 'tool' | 'slashcommand') => ({
  operations: Object.fromEntries(Object.entries(planFacts.OPERATIONS).map(([name, operation]) => [name, { ...operation, category }])),
});

const RULES = [
  { id: 'no-edits', match: { tool_name: 'edit' }, action: 'deny' },
  { id: 'puts', match: { provider: 'files', risk: 'moderate' }, action: 'allow' },
  { id: 'questions', match: { kind: 'interactive' }, action: 'deny' },
  { id: 'reads', match: { tool_name: 'read' }, action: 'ask' },
];

describe('the category of what produced an item', () => {
  it.each([['by the defaults', []], ['by rules of every field', RULES]])('changes nothing of how it is judged, %s', async (_, rules) => {
    const verdicts = await Promise.all((['tool', 'slashcommand'] as const).map(async (category) => {
      const policy = policyInMemory();
      await policy.openSession();
      if (rules.length > 0) await policy.activate(rules);
      const proposed = await policy.propose(['read', 'write', 'put', 'edit', 'question'], madeBy(category));
      await policy.asked(proposed);
      await policy.previewed(await policy.preview(planFacts.previewTree('i4')));
      expect(proposed.key.id).toBe(PLAN_ID);
      return policy.verdicts();
    }));
    expect(verdicts[0]).toHaveLength(5);
    expect(verdicts[1]).toEqual(verdicts[0]);
  });
});
