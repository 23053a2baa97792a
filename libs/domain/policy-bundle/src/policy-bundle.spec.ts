import type { PolicyBundle, PolicyEvent } from '@countersign/contracts';
import { digestOf, foldOf } from '@countersign/kernel';
import { scenario } from '@countersign/testkit';
import fc from 'fast-check';
import { activateBundle, bundleInForce, evolve, NO_RULES, policyFold } from './index.js';

const at = '2026-03-01T10:00:00.000Z';
const denying: PolicyBundle = { rules: [{ id: 'no-writes', match: { tool_name: 'write' }, action: 'deny' }] };
const activated = (version: number, bundle: PolicyBundle): PolicyEvent =>
  ({ type: 'policy.BundleActivated', data: { version, digest: digestOf(bundle), bundle, by: 'ops', at } });
const on = scenario(policyFold, activateBundle);
const command = (bundle: PolicyBundle) => ({ bundle, by: 'ops', at });

describe('activateBundle', () => {
  it('gives a version for each change, and none for none', () => {
    on.given([]).when(command(denying)).then([activated(1, denying)]).thenReply({ version: 1, digest: digestOf(denying), repeated: false });
    on.given([activated(1, denying)]).when(command(denying)).thenNothing().thenReply({ version: 1, digest: digestOf(denying), repeated: true });
    on.given([activated(1, denying)]).when(command(NO_RULES)).then([activated(2, NO_RULES)]);
    on.given([activated(1, denying), activated(2, NO_RULES)]).when(command(denying)).then([activated(3, denying)]);
  });

  it('records the empty bundle too, when a tenant chooses it', () => {
    on.given([]).when(command(NO_RULES)).then([activated(1, NO_RULES)]);
  });
});

describe('bundleInForce', () => {
  it('is the empty one as version 0 before any, then the newest', () => {
    expect(bundleInForce({})).toEqual({ version: 0, digest: digestOf({ rules: [] }), bundle: { rules: [] } });
    expect(bundleInForce(foldOf(policyFold, [activated(1, denying), activated(2, NO_RULES)])).version).toBe(2);
  });

  it('folds in parts as in one, and never goes back', () => {
    const facts = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(denying, NO_RULES)).map(([version, bundle]) => activated(version, bundle)));
    fc.assert(fc.property(facts, facts, (first, later) => {
      const before = foldOf(policyFold, first);
      const after = later.reduce(evolve, before);
      expect(after).toEqual(foldOf(policyFold, [...first, ...later]));
      expect(bundleInForce(after).version).toBeGreaterThanOrEqual(bundleInForce(before).version);
    }));
  });
});
