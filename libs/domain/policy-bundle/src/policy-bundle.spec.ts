import type { PolicyBundle, PolicyEvent } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { planFacts, scenario } from '@countersign/testkit';
import fc from 'fast-check';
import {
  activateBundle, bundleByDigest, bundleInForce, bundleOfVersion, chooseShadow, evolve, isSealed, NO_RULES, NO_RULES_DIGEST, policyFold, pushBundle, requireRoom, rollBack,
  rollBackTarget, ROOM, type PolicyState,
} from './index.js';

const at = '2026-03-01T10:00:00.000Z';
const denying = planFacts.sealedInline<PolicyBundle>({ rules: [{ id: 'no-writes', match: { tool_name: 'write' }, action: 'deny' }] });
const empty = planFacts.sealedInline<PolicyBundle>(NO_RULES);
type Bundle = typeof denying;
const given = (bundle: Bundle) => ({ digest: bundle.digest, bundle, by: 'ops', at });
const pushed = (bundle: Bundle): PolicyEvent => ({ type: 'policy.BundlePushed', data: given(bundle) });
const activated = (version: number, bundle: Bundle, more: object = {}): PolicyEvent => ({ type: 'policy.BundleActivated', data: { version, ...given(bundle), ...more } });
const shadowed = (bundle?: Bundle): PolicyEvent => ({ type: 'policy.ShadowChosen', data: { ...(bundle ? { digest: bundle.digest, bundle } : {}), by: 'ops', at } });

describe('pushBundle', () => {
  it('keeps a bundle once, also one that was in force', () => {
    const on = scenario(policyFold, pushBundle);
    on.given([]).when(given(denying)).then([pushed(denying)]).thenReply({ digest: denying.digest, repeated: false });
    on.given([pushed(denying)]).when(given(denying)).thenNothing().thenReply({ digest: denying.digest, repeated: true });
    on.given([activated(1, denying), activated(2, empty)]).when(given(denying)).thenNothing();
    expect(bundleInForce(foldOf(policyFold, [pushed(denying)])).version).toBe(0);
  });
});

describe('activateBundle', () => {
  const on = scenario(policyFold, activateBundle);
  it('gives a version for each change, and none for none', () => {
    on.given([]).when(given(denying)).then([activated(1, denying)]).thenReply({ version: 1, digest: denying.digest, repeated: false });
    on.given([activated(1, denying)]).when(given(denying)).thenNothing().thenReply({ version: 1, digest: denying.digest, repeated: true });
    on.given([activated(1, denying)]).when(given(empty)).then([activated(2, empty)]);
    on.given([activated(1, denying), activated(2, empty)]).when(given(denying)).then([activated(3, denying)]);
  });

  it('records the empty bundle too, when a tenant chooses it, and when its rules were published', () => {
    on.given([]).when(given(empty)).then([activated(1, empty)]);
    const published = planFacts.sealedInline({ f: at });
    on.given([]).when({ ...given(denying), published }).then([activated(1, denying, { published })]);
  });
});

describe('rollBack', () => {
  const on = scenario(policyFold, (state: PolicyState, version: number | undefined) => {
    const target = rollBackTarget(state, version);
    const bundle = isSealed(target.bundle) ? target.bundle : planFacts.sealedInline(target.bundle);
    return rollBack(state, { rolledBackTo: target.version, ...given(bundle as Bundle) });
  });
  const history = [activated(1, denying), activated(2, empty)];

  it('puts an earlier version in force again as a new one; by itself the one before, and before the first the empty one', () => {
    on.given(history).when(undefined).then([activated(3, denying, { rolledBackTo: 1 })]);
    on.given([activated(1, denying)]).when(undefined).then([activated(2, empty, { rolledBackTo: 0 })]);
    on.given([...history, activated(3, denying)]).when(2).then([activated(4, empty, { rolledBackTo: 2 })]);
    on.given(history).when(2).thenNothing().thenReply({ version: 2, digest: empty.digest, repeated: true });
  });

  it('refuses a version that never was', () => {
    on.given([]).when(undefined).thenRefused('VERSION_UNKNOWN');
    for (const version of [3, -1, 1.5, NaN]) on.given(history).when(version).thenRefused('VERSION_UNKNOWN', { version });
  });

  it('reads versions of old events, which hold their bundle bare', () => {
    const bare: PolicyEvent = { type: 'policy.BundleActivated', data: { version: 1, digest: denying.digest, bundle: denying.value!, by: 'ops', at } };
    on.given([bare, activated(2, empty)]).when(1).then([activated(3, denying, { rolledBackTo: 1 })]);
  });
});

describe('chooseShadow', () => {
  const on = scenario(policyFold, chooseShadow);
  it('chooses one, another or none, and says nothing twice', () => {
    on.given([]).when(given(denying)).then([shadowed(denying)]).thenReply({ digest: denying.digest, repeated: false });
    on.given([shadowed(denying)]).when(given(denying)).thenNothing();
    on.given([shadowed(denying)]).when(given(empty)).then([shadowed(empty)]);
    on.given([shadowed(denying)]).when({ by: 'ops', at }).then([shadowed()]).thenReply({ repeated: false });
    on.given([]).when({ by: 'ops', at }).thenNothing().thenReply({ repeated: true });
  });

  it('has no effect on what is in force, and keeps its bundle', () => {
    const state = foldOf(policyFold, [shadowed(denying), shadowed()]);
    expect([bundleInForce(state).version, state.shadow]).toEqual([0, undefined]);
    expect(bundleByDigest(state, denying.digest).bundle).toBe(denying);
  });
});

describe('what is known of a layer', () => {
  it('is the empty bundle as version 0 before any, then the newest', () => {
    expect(bundleInForce(policyFold.initial)).toEqual({ version: 0, digest: NO_RULES_DIGEST, bundle: { rules: [] } });
    expect(bundleInForce(foldOf(policyFold, [activated(1, denying), activated(2, empty)])).version).toBe(2);
    expect(bundleOfVersion(foldOf(policyFold, [activated(1, denying)]), 2)).toBeUndefined();
  });

  it('is named by a digest, and an unknown one is refused', () => {
    expect(bundleByDigest(policyFold.initial, NO_RULES_DIGEST).bundle).toEqual(NO_RULES);
    expect(() => bundleByDigest(policyFold.initial, denying.digest)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  const facts = fc.array(fc.oneof(
    fc.tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(denying, empty)).map(([version, bundle]) => activated(version, bundle)),
    fc.constantFrom(pushed(denying), pushed(empty), shadowed(denying), shadowed()),
  ));
  it('folds in parts as in one, and never goes back', () => {
    fc.assert(fc.property(facts, facts, (first, later) => {
      const before = foldOf(policyFold, first);
      const after = later.reduce(evolve, before);
      expect(after).toEqual(foldOf(policyFold, [...first, ...later]));
      expect(bundleInForce(after).version).toBeGreaterThanOrEqual(bundleInForce(before).version);
    }));
  });

  it('changes once by a decision that is made twice', () => {
    fc.assert(fc.property(facts, fc.constantFrom(pushBundle, activateBundle, chooseShadow), (past, decide) => {
      const state = foldOf(policyFold, past);
      const { event } = decide(state, given(denying));
      expect(decide(event ? evolve(state, event) : state, given(denying)).event).toBeUndefined();
    }));
  });
});

describe('room', () => {
  it('is left for activating, and after that for going back', () => {
    expect([ROOM.keep < ROOM.activate, ROOM.activate < ROOM.undo]).toEqual([true, true]);
    for (const change of ['keep', 'activate', 'undo'] as const) {
      expect(() => requireRoom(ROOM[change] - 1, change)).not.toThrow();
      expect(() => requireRoom(ROOM[change], change)).toThrow(expect.objectContaining({ code: 'AGGREGATE_TOO_LONG' }));
    }
  });
});
