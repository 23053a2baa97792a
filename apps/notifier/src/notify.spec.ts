import { LIMITS, type PlanEvent, type Proposed } from '@countersign/contracts';
import { planFold } from '@countersign/domain-plan';
import { createAggregateStore } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { planFacts } from '@countersign/testkit';
import { Facts, PLAN_ID, SESSION, T0, webhook } from './spec-support/facts.js';
import { linksTo } from './notices/links.js';
import type { Notice } from './notices/notice.js';
import { Notify } from './notify.js';
import { skipping } from './skip.js';
import { Webhooks } from './webhooks.js';

function notifier(publicUrl: string | undefined = 'https://gate.example/') {
  const facts = new Facts();
  const written = new Map<string, string>();
  let away = 0;
  const outbox = {
    put: async (subject: string, body: string): Promise<void> => {
      if (away > 0 && written.size >= away) throw new GateError('UNAVAILABLE');
      if (!written.has(subject)) written.set(subject, body);
    },
  };
  const webhooks = new Webhooks(facts.log);
  const notify = new Notify(webhooks, createAggregateStore(facts.log, planFold), outbox, linksTo(publicUrl));
  return {
    facts, notify, webhooks, written,
    failingAfter: (count: number): void => { away = count; },
    notices: (): Notice[] => [...written.values()].map((body) => JSON.parse(body) as Notice),
  };
}

const secret = planFacts.sealedInline({ path: 'secret-path', token: 'secret-token' });
const proposed = (): PlanEvent => {
  const event = planFacts.proposed(['write', 'edit', 'read']);
  const data = event.data as Proposed;
  return { ...event, data: { ...data, items: data.items.map((item) => ({ ...item, input: secret })) } } as PlanEvent;
};

describe('what webhooks are told', () => {
  it('one message for an evaluation, with what is asked in it and nothing that was decided, without arguments', async () => {
    const under = notifier();
    await under.facts.registered(webhook());
    await under.facts.plan(proposed());
    const event = await under.facts.plan(planFacts.evaluated(planFacts.verdict('i1', 'ask', { decidedBy: 'policy:notes', message: 'Look\ntwice' }), planFacts.verdict('i3', 'allow'), planFacts.verdict('i2', 'ask', { expiresAt: undefined })));
    await under.notify.plan(event);
    expect([...under.written.keys()]).toEqual([`outbox.notifier.acme.ops.GATE.${event.sequence}`]);
    expect(under.notices()).toEqual([{
      type: 'approval.asked', timestamp: event.time,
      data: {
        tenant: 'acme', session: SESSION, plan: PLAN_ID, links: { plan: `https://gate.example/v1/plans/${PLAN_ID}` },
        items: [
          { itemId: 'i1', provider: 'files', operation: 'write', risk: 'moderate', description: 'does write', decidedBy: 'policy:notes', message: 'Look twice', itemDigest: 'digest-of-i1', expiresAt: planFacts.at(1_800), links: { item: `https://gate.example/v1/plans/${PLAN_ID}/items/i1` } },
          { itemId: 'i2', provider: 'files', operation: 'edit', risk: 'moderate', description: 'does edit', decidedBy: 'policy:default', itemDigest: 'digest-of-i2', links: { item: `https://gate.example/v1/plans/${PLAN_ID}/items/i2` } },
        ],
      },
    }]);
    expect([...under.written.values()].join()).not.toMatch(/secret-/);
  });

  it('who answered what, also a rejection; what expired; what tripped', async () => {
    const under = notifier();
    await under.facts.registered(webhook());
    await under.facts.plan(proposed());
    await under.facts.plan(planFacts.evaluated(planFacts.verdict('i1', 'ask'), planFacts.verdict('i2', 'ask')));
    await under.notify.plan(await under.facts.plan(planFacts.answered(planFacts.answer('i1', 'reject', { principal: 'ann', reason: 'not today' }))));
    await under.notify.plan(await under.facts.plan(planFacts.itemsExpired(1_800, 'i2')));
    await under.facts.session({ type: 'session.Opened', data: { agent: 'coder', profile: 'default', kind: 'chat', openedBy: 'agent', requestDigest: 'x', at: T0 } });
    await under.notify.session(await under.facts.session({ type: 'session.LimitReached', data: { cause: 'circuit_breaker', detail: '5 denials in a row', items: [{ plan: PLAN_ID, itemId: 'i1' }], endsAt: planFacts.at(300), at: T0 } }));
    expect(under.notices().map(({ type, data }) => [type, data.items.map(({ links: _, description: __, ...item }) => item), data.cause])).toEqual([
      ['approval.answered', [{ itemId: 'i1', provider: 'files', operation: 'write', risk: 'moderate', decision: 'reject', decidedBy: 'person:ann', message: 'not today', itemDigest: 'digest-of-i1' }], undefined],
      ['approval.expired', [{ itemId: 'i2', provider: 'files', operation: 'edit', risk: 'moderate', decision: 'deny', decidedBy: 'expired' }], undefined],
      ['session.tripped', [{ plan: PLAN_ID, itemId: 'i1' }], 'circuit_breaker'],
    ]);
    expect(under.notices().at(-1)!.data).toMatchObject({ tenant: 'acme', session: SESSION, detail: '5 denials in a row', endsAt: planFacts.at(300), links: { session: `https://gate.example/v1/sessions/${SESSION}` } });
  });

  it('each webhook what it wants, and nobody what nobody waits for', async () => {
    const under = notifier();
    await under.facts.registered(webhook({ name: 'all' }), webhook({ name: 'asks', events: ['asked'] }), webhook({ name: 'trips', events: ['tripped'] }));
    await under.facts.plan(proposed());
    await under.notify.plan(await under.facts.plan(planFacts.evaluated(planFacts.verdict('i1', 'allow'), planFacts.verdict('i3', 'deny'))));
    expect(under.written.size).toBe(0);
    await under.notify.plan(await under.facts.plan(planFacts.evaluatedIn(2, planFacts.verdict('i2', 'ask'))));
    expect([...under.written.keys()].map((subject) => subject.split('.')[3]).sort()).toEqual(['all', 'asks']);
  });

  it('the same once, however often its event comes; what a first time did not get through, the next one adds', async () => {
    const under = notifier();
    await under.facts.registered(webhook({ name: 'a' }), webhook({ name: 'b' }));
    await under.facts.plan(proposed());
    const event = await under.facts.plan(planFacts.evaluated(planFacts.verdict('i1', 'ask')));
    under.failingAfter(1);
    await expect(under.notify.plan(event)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    under.failingAfter(0);
    await under.notify.plan(event);
    await under.notify.plan(event);
    expect([...under.written.keys()].sort()).toEqual(['a', 'b'].map((name) => `outbox.notifier.acme.${name}.GATE.${event.sequence}`));
  });

  it('of a plan of a thousand items as many as fit, and how many more there are', async () => {
    const under = notifier();
    await under.facts.registered(webhook());
    const operations = { 'files/write': planFacts.operation('write', { description: 'ä'.repeat(8_000) }) };
    await under.facts.plan(planFacts.proposed(Array.from({ length: 1_000 }, () => 'write'), { operations }));
    const items = Array.from({ length: 1_000 }, (_, index) => planFacts.verdict(`i${index + 1}`, 'ask', { message: '𝄞'.repeat(12) }));
    await under.notify.plan(await under.facts.plan(planFacts.evaluated(...items)));
    const [notice] = under.notices();
    expect(notice!.data.items.length).toBeGreaterThan(10);
    expect(notice!.data.items.length + notice!.data.itemsOmitted!).toBe(1_000);
    expect(notice!.data.items[0]!.description!.length).toBe(300);
    expect(Buffer.byteLength([...under.written.values()][0]!)).toBeLessThan(LIMITS.webhookItemsBytes + 2_000);
  });

  it('no links where nobody said how the gateway is reached', async () => {
    const facts = linksTo(undefined);
    expect([facts.plan(PLAN_ID), facts.item(PLAN_ID, 'i1'), facts.session(SESSION)]).toEqual([{}, {}, {}]);
  });
});

describe('a tenant without webhooks', () => {
  it('has its events skipped by their subject, until the very moment it registers one', async () => {
    const under = notifier();
    const skip = skipping(under.webhooks);
    await under.facts.registered();
    const subject = `evt.acme.${SESSION}.plan.${PLAN_ID}.policy.2`;
    expect(await skip(subject)).toBe(true);
    expect(await skip(`evt.nobody.${SESSION}.plan.${PLAN_ID}.policy.2`)).toBe(true);
    await under.facts.tenant({ type: 'tenant.WebhookRegistered', data: { webhook: webhook(), by: 'ada', at: T0 } });
    expect(await skip(subject)).toBe(false);
    expect(await skip('outbox.notifier.nobody.ops.GATE.1')).toBe(false);
    await under.facts.tenant({ type: 'tenant.WebhookRemoved', data: { name: 'ops', by: 'ada', at: T0 } });
    expect(await skip(subject)).toBe(true);
  });
});
