import { LIMITS, planKey, sessionKey, tenantKey, type CommandMap, type OperationSnapshot, type Proposed, type SessionGrant, type ToolSchema } from '@countersign/contracts';
import { answerItems, closePlan, correctItem, planFold, propose, type AnswerResult, type PlanState } from '@countersign/domain-plan';
import { endSession, giveGrant, openSession, requireOpen, revokeSessionGrant, sessionFold } from '@countersign/domain-session';
import { settingsOf, tenantFold } from '@countersign/domain-tenant';
import { InMemoryEventLog, createAggregateStore, type InMemoryBroker } from '@countersign/event-log';
import { GateError, digestOf } from '@countersign/kernel';
import { accepted, metaOf, type Served } from './served.js';

export const READ: ToolSchema = {
  name: 'read_file', category: 'tool', kind: 'data_source', risk: 'read_only', description: 'reads a file', inputSchema: { type: 'object' },
};
export const WRITE: ToolSchema = {
  name: 'write_file', category: 'tool', kind: 'resource', risk: 'high', description: 'writes a file', inputSchema: { type: 'object' }, previewable: true,
};
/** A write that nothing is previewed of. */
export const SEND: ToolSchema = {
  name: 'send', category: 'tool', kind: 'resource', risk: 'low', description: 'sends a message', inputSchema: { type: 'object' }, planSafe: true,
};
export const OPERATIONS = [READ, WRITE, SEND];

/** Planner's part for sessions and plans. What policy would say to a grant is yes. */
export function memoryPlans(broker: InMemoryBroker): Served {
  const planner = new InMemoryEventLog('planner', broker);
  const sessions = createAggregateStore(planner, sessionFold);
  const plans = createAggregateStore(planner, planFold);
  const tenants = createAggregateStore(planner, tenantFold);
  return {
    'planner.open-session': async ({ sessionId, ...opened }, { tenant, ...of }) => {
      const settings = settingsOf((await tenants.fresh(tenantKey(tenant))).state);
      return accepted(await sessions.transact(sessionKey(tenant, sessionId), ({ state }) => openSession(state, { ...opened, openedBy: of.principal }, settings), metaOf(of)));
    },
    'planner.end-session': async ({ sessionId, ...ended }, { tenant, ...of }) => accepted(await sessions.transact(sessionKey(tenant, sessionId), ({ state }) => endSession(state, { ...ended, by: of.principal }), metaOf(of))),
    'planner.revoke-session-grant': async ({ sessionId, ...revoked }, { tenant, ...of }) => accepted(await sessions.transact(sessionKey(tenant, sessionId), ({ state }) => revokeSessionGrant(state, { ...revoked, by: of.principal }), metaOf(of))),
    'planner.propose': async (command, { tenant, ...of }) => {
      requireOpen((await sessions.fresh(sessionKey(tenant, command.sessionId))).state);
      const facts = { ...snapshot(command), requester: of.principal };
      return accepted(await plans.transact(planKey(tenant, command.planId), ({ state }) => propose(state, { ...facts, planId: command.planId, calls: command.calls.map((call) => ({ ...call, operation: `${call.provider}/${call.operation}` })) }), metaOf(of)));
    },
    'planner.answer': async (command, { tenant, ...of }) => {
      const { planId, at, ...answer } = command;
      const reserved = answer.scope === 'once' ? {} : { reserved: { grantId: grantIdOf(command) } };
      const { reply: [result], position } = await plans.transact(planKey(tenant, planId), ({ state }) => answerItems(state, [{ ...answer, ...reserved, principal: of.principal, saidAt: at, decidedAt: at }]), metaOf(of));
      if (!wasTaken(result!)) throw result && 'error' in result ? result.error : new GateError('BUSY');
      if (answer.scope === 'session' && !result.pending) {
        const { state } = await plans.fresh(planKey(tenant, planId));
        const key = sessionKey(tenant, planId.slice(0, planId.indexOf('-p')));
        await sessions.transact(key, ({ state: session }) => giveGrant(session, grantOf(state, command, of.principal)), metaOf(of));
      }
      const { repeated, pending, grantId } = result;
      return { sequence: position.sequence, ...(repeated ? { repeated } : {}), ...(pending ? { pending } : {}), ...(grantId ? { grantId } : {}) };
    },
    'planner.correct': async ({ planId, at, ...correction }, { tenant, ...of }) => {
      const verdictDueAt = new Date(Date.parse(at) + LIMITS.verdictMs).toISOString();
      return accepted(await plans.transact(planKey(tenant, planId), ({ state }) => correctItem(state, { ...correction, principal: of.principal, saidAt: at, decidedAt: at, verdictDueAt }), metaOf(of)));
    },
    'planner.cancel': async ({ planId, at }, { tenant, ...of }) => accepted(await plans.transact(planKey(tenant, planId), ({ state }) => closePlan(state, { reason: 'cancelled', by: of.principal, at }), metaOf(of))),
  };
}

type Taken = Extract<AnswerResult, { readonly ok: true }>;
const wasTaken = (result: AnswerResult): result is Taken => result.ok;

type Answer = CommandMap['planner.answer'][0];
const grantIdOf = ({ planId, itemId }: Answer): string => `g${digestOf([planId, itemId]).slice(0, 24)}`;

function grantOf(plan: PlanState, command: Answer, by: string): SessionGrant {
  const { planId, itemId, decision, narrow, reason, at } = command;
  const { provider, name: operation } = plan.items.get(itemId)!.operation;
  return {
    grantId: grantIdOf(command), provider, operation, decision: decision === 'approve' ? 'allow' : 'deny', by, origin: { plan: planId, itemId }, at,
    ...(narrow ? { narrow } : {}), ...(reason ? { reason } : {}),
  };
}

function snapshot(command: CommandMap['planner.propose'][0]): Omit<Proposed, 'items' | 'requester'> {
  const operations: Record<string, OperationSnapshot> = {};
  for (const { provider, operation } of command.calls) {
    const schema = OPERATIONS.find(({ name }) => name === operation);
    if (!schema) throw new GateError('OPERATION_UNKNOWN', undefined, { provider, operation });
    const { inputSchema, outputSchema: _none, ...rest } = schema;
    operations[`${provider}/${operation}`] = { ...rest, provider, schemaDigest: digestOf(schema), inputSchema: { digest: digestOf(inputSchema), bytes: 17, value: inputSchema } };
  }
  return {
    turnId: command.turnId, requestDigest: command.requestDigest, proposedAt: command.at, saw: { session: 1, catalogue: 1 }, profile: 'default',
    providers: { files: { version: 1, digest: 'd', endpoint: { transport: 'fake' } } }, operations, verdictDueAt: new Date(Date.parse(command.at) + 60_000).toISOString(),
  };
}
