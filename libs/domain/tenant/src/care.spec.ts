import { DEFAULT_TENANT_SETTINGS, LIMITS, type Freeze, type FreezeTarget, type TenantEvent, type TenantSettings, type Webhook } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { scenario } from '@countersign/testkit';
import fc from 'fast-check';
import {
  changeSettings, evolve, freeze, freezeCovering, registerSubscriber, registerWebhook, removeSubscriber, removeWebhook, settingsOf, tenantFold, unfreeze, type TenantState,
} from './index.js';

const at = '2026-03-01T10:00:00.000Z';
const registered = (localProcesses = false): TenantEvent => ({ type: 'tenant.Registered', data: { name: 'Acme', localProcesses, keys: [], at } });
const by = { by: 'ops', at };

describe('settings', () => {
  const change = scenario(tenantFold, (tenant: TenantState, settings: TenantSettings) => changeSettings(tenant, { settings, ...by }));
  const other = { ...DEFAULT_TENANT_SETTINGS, bypassPermissions: true };
  const changed = (settings: TenantSettings): TenantEvent => ({ type: 'tenant.SettingsChanged', data: { settings, ...by } });

  it('are changed whole; what holds already says nothing', () => {
    change.given([registered()]).when(other).then([changed(other)]).thenReply({ repeated: false });
    change.given([registered(), changed(other)]).when(other).thenNothing().thenReply({ repeated: true });
    change.given([registered()]).when(DEFAULT_TENANT_SETTINGS).thenNothing();
    change.given([]).when(other).thenRefused('NOT_FOUND');
    expect(settingsOf(foldOf(tenantFold, [registered()]))).toEqual(DEFAULT_TENANT_SETTINGS);
    expect(settingsOf(foldOf(tenantFold, [registered(), changed(other)]))).toEqual(other);
  });

  it.each<[string, Partial<TenantSettings>]>([
    ['a negative bound', { breaker: { ...DEFAULT_TENANT_SETTINGS.breaker, consecutive: -1 } }],
    ['a bound that is no whole number', { breaker: { ...DEFAULT_TENANT_SETTINGS.breaker, count: 1.5 } }],
    ['a window without end', { breaker: { ...DEFAULT_TENANT_SETTINGS.breaker, windowMs: Infinity } }],
    ['one call as a repetition', { doomLoop: { repeats: 1, within: 8 } }],
    ['more repetitions than are looked at', { doomLoop: { repeats: 9, within: 8 } }],
    ['a flag that is none', { standingGrants: 'yes' as unknown as boolean }],
  ])('with %s are refused', (_, wrong) => {
    change.given([registered()]).when({ ...DEFAULT_TENANT_SETTINGS, ...wrong }).thenRefused('INVALID_REQUEST');
  });
});

describe('endpoints', () => {
  const hook = { name: 'chat', url: 'https://hooks.example/x', events: ['asked'], format: 'standard' } as const;
  const webhook = (change: Partial<Webhook> = {}) => ({ webhook: { ...hook, ...change }, ...by });
  const veto = { name: 'scan', url: 'https://veto.example/', deadlineMs: 500 };
  const register = scenario(tenantFold, registerWebhook);
  const registeredHook = (secretVersion: number, name = 'chat'): TenantEvent => ({ type: 'tenant.WebhookRegistered', data: { webhook: { ...hook, name, secretVersion }, ...by } });
  const removedHook: TenantEvent = { type: 'tenant.WebhookRemoved', data: { name: 'chat', ...by } };

  it('get another secret each time they are registered, also after they were removed', () => {
    register.given([registered()]).when(webhook()).then([registeredHook(1)]).thenReply({ repeated: false, version: 1 });
    register.given([registered(), registeredHook(1)]).when(webhook()).then([registeredHook(2)]);
    register.given([registered(), registeredHook(1), registeredHook(2), removedHook]).when(webhook()).then([registeredHook(3)]);
    scenario(tenantFold, registerSubscriber).given([registered(), registeredHook(5, 'scan')]).when({ subscriber: veto, ...by })
      .then([{ type: 'tenant.SubscriberRegistered', data: { subscriber: { ...veto, secretVersion: 1 }, ...by } }]);
  });

  it('are bounded, and replacing one is always possible', () => {
    const full = Array.from({ length: LIMITS.webhooks }, (_, index) => registeredHook(1, `w${index}`));
    register.given([registered(), ...full]).when(webhook()).thenRefused('AGGREGATE_TOO_LONG');
    register.given([registered(), ...full]).when(webhook({ name: 'w3' })).then([registeredHook(2, 'w3')]);
  });

  it('are removed once', () => {
    const remove = scenario(tenantFold, removeWebhook);
    remove.given([registered(), registeredHook(1)]).when({ name: 'chat', ...by }).then([removedHook]);
    remove.given([registered(), registeredHook(1), removedHook]).when({ name: 'chat', ...by }).thenNothing().thenReply({ repeated: true });
    remove.given([registered()]).when({ name: 'chat', ...by }).thenRefused('NOT_FOUND');
    scenario(tenantFold, removeSubscriber).given([registered(), registeredHook(1)]).when({ name: 'chat', ...by }).thenRefused('NOT_FOUND');
  });

  it.each([['http://hooks.example/'], ['http://127.0.0.1/'], ['ftp://hooks.example/'], ['file:///etc/passwd'], ['no url'], ['https://user:word@hooks.example/'], ['https://hooks.example/#x'], [`https://hooks.example/${'x'.repeat(2_048)}`]])(
    'at %s are refused', (url) => {
      register.given([registered()]).when(webhook({ url })).thenRefused('URL_NOT_ALLOWED');
      scenario(tenantFold, registerSubscriber).given([registered()]).when({ subscriber: { ...veto, url }, ...by }).thenRefused('URL_NOT_ALLOWED');
    });

  it.each([['http://127.0.0.1:8080/x', true], ['http://localhost/x', true], ['http://[::1]:1/', true], ['http://127.0.0.1.example/', false], ['http://10.0.0.1/', false]])(
    'over http at loopback are for a tenant with local processes: %s', (url, allowed) => {
      const on = register.given([registered(true)]).when(webhook({ url }));
      if (allowed) on.thenReply({ repeated: false, version: 1 });
      else on.thenRefused('URL_NOT_ALLOWED');
    });

  it.each<[string, Partial<Webhook>]>([['an unknown event', { events: ['burnt' as 'asked'] }], ['no event', { events: [] }], ['an unknown format', { format: 'xml' as 'slack' }], ['a name that is none', { name: 'A b' }]])(
    'with %s are refused', (_, change) => { register.given([registered()]).when(webhook(change)).thenRefused('INVALID_REQUEST'); });

  it.each([[0], [49], [LIMITS.vetoDeadlineMaxMs + 1], [1.5]])('are not waited for %d ms', (deadlineMs) => {
    scenario(tenantFold, registerSubscriber).given([registered()]).when({ subscriber: { ...veto, deadlineMs }, ...by }).thenRefused('INVALID_REQUEST');
  });
});

describe('freezes', () => {
  const frost = (freezeId: string, target: FreezeTarget = {}, who = 'ops'): Freeze => ({ freezeId, target, by: who, reason: 'odd', at });
  const frozen = (freezeId: string, target?: FreezeTarget): TenantEvent => ({ type: 'tenant.Frozen', data: { freeze: frost(freezeId, target) } });
  const thaw = (freezeId: string, who = 'ops') => ({ freezeId, by: who, at });
  const unfrozen = (freezeId: string, who = 'ops'): TenantEvent => ({ type: 'tenant.Unfrozen', data: thaw(freezeId, who) });
  const setSecond = (unfreezeBySecondPerson: boolean): TenantEvent => ({ type: 'tenant.SettingsChanged', data: { settings: { ...DEFAULT_TENANT_SETTINGS, unfreezeBySecondPerson }, ...by } });
  const on = scenario(tenantFold, freeze);
  const off = scenario(tenantFold, unfreeze);

  it('are made once by their id; one that was lifted is not called made by a repetition', () => {
    on.given([registered()]).when(frost('f1')).then([frozen('f1')]).thenReply({ repeated: false });
    on.given([registered(), frozen('f1')]).when({ ...frost('f1'), at: 'later' }).thenNothing().thenReply({ repeated: true });
    on.given([registered(), frozen('f1')]).when(frost('f1', { agent: 'x' })).thenRefused('IDEMPOTENCY_KEY_REUSED');
    on.given([registered(), frozen('f1'), unfrozen('f1')]).when(frost('f1')).thenRefused('IDEMPOTENCY_KEY_REUSED');
    on.given([]).when(frost('f1')).thenRefused('NOT_FOUND');
  });

  it('are lifted once, by anybody who may', () => {
    off.given([registered(), frozen('f1')]).when(thaw('f1')).then([unfrozen('f1')]);
    off.given([registered(), frozen('f1'), unfrozen('f1')]).when(thaw('f1')).thenNothing().thenReply({ repeated: true });
    off.given([registered()]).when(thaw('f1')).thenRefused('NOT_FOUND');
  });

  it('are lifted by a second person where the settings say so, and changing them is no way around', () => {
    off.given([registered(), setSecond(true), frozen('f1')]).when(thaw('f1')).thenRefused('SECOND_PERSON_REQUIRED');
    off.given([registered(), setSecond(true), frozen('f1')]).when(thaw('f1', 'other')).then([unfrozen('f1', 'other')]);
    off.given([registered(), setSecond(true), frozen('f1'), setSecond(false)]).when(thaw('f1')).thenRefused('SECOND_PERSON_REQUIRED');
    off.given([registered(), frozen('f1'), setSecond(true)]).when(thaw('f1')).thenRefused('SECOND_PERSON_REQUIRED');
  });

  it('are bounded', () => {
    const full = Array.from({ length: LIMITS.freezes }, (_, index) => frozen(`f${index}`));
    on.given([registered(), ...full]).when(frost('more')).thenRefused('AGGREGATE_TOO_LONG');
  });

  it.each<[string, Partial<Freeze>]>([
    ['no reason', { reason: '' }], ['an operation without its provider', { target: { operation: 'write' } }], ['a field that nobody knows', { target: { tool: 'x' } as FreezeTarget }],
    ['a session that is none', { target: { session: 'x.y' } }], ['an empty agent', { target: { agent: '' } }],
  ])('with %s are refused', (_, change) => { on.given([registered()]).when({ ...frost('f1'), ...change }).thenRefused('INVALID_REQUEST'); });

  it('cover a call when every field they give is the call’s', () => {
    const values = { session: fc.constantFrom('s1', 's2'), agent: fc.constantFrom('a1', 'a2'), provider: fc.constantFrom('p1', 'p2'), operation: fc.constantFrom('o1', 'o2') };
    fc.assert(fc.property(fc.record(values, { requiredKeys: [] }), fc.record(values), (target, call) => {
      const covers = Object.entries(target).every(([field, value]) => value === undefined || call[field as keyof typeof call] === value);
      const state = foldOf(tenantFold, [registered(), { type: 'tenant.Frozen', data: { freeze: frost('f1', target) } }]);
      expect(freezeCovering(state, call) !== undefined).toBe(covers);
      expect(freezeCovering(evolve(state, unfrozen('f1')), call)).toBeUndefined();
    }));
  });
});
