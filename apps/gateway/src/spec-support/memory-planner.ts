import {
  planKey, providerKey, sessionKey, tenantKey, policyKey,
  type Accepted, type CommandContext, type CommandMap, type CommandName, type EventMeta, type OperationSnapshot,
  type Proposed, type ToolSchema,
} from '@countersign/contracts';
import { answerItems, closePlan, planFold, propose } from '@countersign/domain-plan';
import { activateBundle, policyFold } from '@countersign/domain-policy-bundle';
import { providerFold, registerProvider, removeProvider } from '@countersign/domain-provider';
import { endSession, openSession, requireOpen, sessionFold } from '@countersign/domain-session';
import { issueKey, registerTenant, revokeKey, tenantFold } from '@countersign/domain-tenant';
import { InMemoryEventLog, createAggregateStore, type InMemoryBroker, type Transacted } from '@countersign/event-log';
import { GateError, digestOf } from '@countersign/kernel';
import type { Commands } from '../ports.js';

export const READ: ToolSchema = {
  name: 'read_file', category: 'tool', kind: 'data_source', risk: 'read_only', description: 'reads a file', inputSchema: { type: 'object' },
};
export const WRITE: ToolSchema = {
  name: 'write_file', category: 'tool', kind: 'resource', risk: 'high', description: 'writes a file', inputSchema: { type: 'object' }, previewable: true,
};

type Call<N extends CommandName> = (payload: CommandMap[N][0], context: CommandContext) => Promise<CommandMap[N][1]>;
type Served = { readonly [N in CommandName]?: Call<N> };

/** Every decision of the domain over a log in memory: what planner and policy do with a command, without their machinery. */
export class MemoryPlanner implements Commands {
  readonly sent: { readonly name: CommandName; readonly payload: unknown; readonly context: CommandContext }[] = [];
  /** Answers or failures that a spec puts in the way. */
  readonly instead = new Map<CommandName, (payload: unknown, context: CommandContext) => Promise<unknown>>();
  private readonly served: Served;

  constructor(broker: InMemoryBroker) {
    this.served = { ...registrations(broker), ...plans(broker) };
  }

  async call<N extends CommandName>(name: N, payload: CommandMap[N][0], context: CommandContext): Promise<CommandMap[N][1]> {
    // What travels is JSON.
    const sent = JSON.parse(JSON.stringify(payload)) as CommandMap[N][0];
    // The gateway's own questions (health, lag) come at any moment.
    if (context.principal !== 'gateway') this.sent.push({ name, payload: sent, context });
    const serve = (this.instead.get(name) ?? this.served[name]) as Call<N> | undefined;
    if (!serve) throw new GateError('UNAVAILABLE', `Nobody serves ${name}`);
    return serve(sent, context);
  }
}

function registrations(broker: InMemoryBroker): Served {
  const planner = new InMemoryEventLog('planner', broker);
  const tenants = createAggregateStore(planner, tenantFold);
  const providers = createAggregateStore(planner, providerFold);
  const policies = createAggregateStore(new InMemoryEventLog('policy', broker), policyFold);
  return {
    'planner.register-tenant': async (command, { tenant, ...of }) => accepted(await tenants.transact(tenantKey(tenant), ({ state }) => registerTenant(state, command), metaOf(of))),
    'planner.issue-key': async (command, { tenant, ...of }) => accepted(await tenants.transact(tenantKey(tenant), ({ state }) => issueKey(state, { ...command, by: of.principal }), metaOf(of))),
    'planner.revoke-key': async (command, { tenant, ...of }) => accepted(await tenants.transact(tenantKey(tenant), ({ state }) => revokeKey(state, { ...command, by: of.principal }), metaOf(of))),
    'planner.register-provider': async (command, { tenant, ...of }) => accepted(await providers.transact(providerKey(tenant, command.name), ({ state }) => registerProvider(state, { ...command, by: of.principal }), metaOf(of))),
    'planner.remove-provider': async (command, { tenant, ...of }) => accepted(await providers.transact(providerKey(tenant, command.name), ({ state }) => removeProvider(state, { ...command, by: of.principal }), metaOf(of))),
    'policy.activate-bundle': async (command, { tenant, ...of }) => ({
      ...accepted(await policies.transact(policyKey(tenant), ({ state }) => activateBundle(state, { ...command, by: of.principal }), metaOf(of))), warnings: [],
    }),
    'executor.describe-provider': async () => ({ operations: [READ, WRITE] }),
  };
}

function plans(broker: InMemoryBroker): Served {
  const planner = new InMemoryEventLog('planner', broker);
  const sessions = createAggregateStore(planner, sessionFold);
  const stores = createAggregateStore(planner, planFold);
  return {
    'planner.open-session': async ({ sessionId, ...opened }, { tenant, ...of }) => accepted(await sessions.transact(sessionKey(tenant, sessionId), ({ state }) => openSession(state, { ...opened, openedBy: of.principal }), metaOf(of))),
    'planner.end-session': async ({ sessionId, ...ended }, { tenant, ...of }) => accepted(await sessions.transact(sessionKey(tenant, sessionId), ({ state }) => endSession(state, { ...ended, by: of.principal }), metaOf(of))),
    'planner.propose': async (command, { tenant, ...of }) => {
      requireOpen((await sessions.fresh(sessionKey(tenant, command.sessionId))).state);
      const facts = { ...snapshot(command), requester: of.principal };
      return accepted(await stores.transact(planKey(tenant, command.planId), ({ state }) => propose(state, { ...facts, planId: command.planId, calls: command.calls.map((call) => ({ ...call, operation: `${call.provider}/${call.operation}` })) }), metaOf(of)));
    },
    'planner.answer': async ({ planId, ...answer }, { tenant, ...of }) => {
      const written = await stores.transact(planKey(tenant, planId), ({ state }) => answerItems(state, [{ ...answer, scope: 'once', principal: of.principal, answeredAt: answer.at }]), metaOf(of));
      const [result] = written.reply;
      if (!result!.ok) throw result!.error;
      return accepted({ ...written, reply: result! });
    },
    'planner.cancel': async ({ planId, at }, { tenant, ...of }) => accepted(await stores.transact(planKey(tenant, planId), ({ state }) => closePlan(state, { reason: 'cancelled', by: of.principal, at }), metaOf(of))),
  };
}

function snapshot(command: CommandMap['planner.propose'][0]): Omit<Proposed, 'items' | 'requester'> {
  const operations: Record<string, OperationSnapshot> = {};
  for (const { provider, operation } of command.calls) {
    const schema = [READ, WRITE].find(({ name }) => name === operation);
    if (!schema) throw new GateError('OPERATION_UNKNOWN', undefined, { provider, operation });
    const { inputSchema, outputSchema: _none, ...rest } = schema;
    operations[`${provider}/${operation}`] = { ...rest, provider, schemaDigest: digestOf(schema), inputSchema: { digest: digestOf(inputSchema), bytes: 17, value: inputSchema } };
  }
  return {
    turnId: command.turnId, requestDigest: command.requestDigest, proposedAt: command.at, saw: { session: 1, catalogue: 1 }, profile: 'default',
    providers: { files: { version: 1, digest: 'd', endpoint: { transport: 'fake' } } }, operations, verdictDueAt: new Date(Date.parse(command.at) + 60_000).toISOString(),
  };
}

const metaOf = (of: Omit<CommandContext, 'tenant'>): { meta: EventMeta } => ({ meta: { actor: `person:${of.principal}`, correlationId: of.correlationId } });

function accepted({ reply, position }: Transacted<{ readonly repeated: boolean; readonly version?: number }>): Accepted {
  return { sequence: position.sequence, ...(reply.repeated ? { repeated: true } : {}), ...(reply.version === undefined ? {} : { version: reply.version }) };
}

