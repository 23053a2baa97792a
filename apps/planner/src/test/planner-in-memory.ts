import { generateKeyPairSync, sign } from 'node:crypto';
import {
  planIdFrom, planKey, sessionIdFrom, sessionKey, type ActivateGrant, type AnswerAssertion, type AnswerItem, type AskTerms, type Command, type CommandContext,
  type CorrectItem, type GrantChecked, type JsonObject, type PlanEvent, type Propose, type ProposedCall, type ReserveGrant, type Sealed, type ToolSchema,
} from '@countersign/contracts';
import { planFold, recordVerdicts, type PlanState } from '@countersign/domain-plan';
import { InMemoryBlobStore, InMemoryBroker, InMemoryEventLog, InMemoryTimers, createAggregateStore } from '@countersign/event-log';
import { canonicalJson, digestOf, foldOf, sha256 } from '@countersign/kernel';
import type { PolicyCommands } from '../answers/policy-commands.js';
import { sessionOfTimer } from '../lifetime/session-clock.js';
import { plannerServices } from '../planner-services.js';

export const START = new Date('2026-03-01T10:00:00.000Z');
export const SESSION = sessionIdFrom('a'.repeat(24));
export const PLAN = planIdFrom(SESSION, 'b'.repeat(24));
const GATEWAY = generateKeyPairSync('ed25519');

export const WRITE: ToolSchema = {
  name: 'write_file', category: 'tool', kind: 'resource', risk: 'high', description: 'writes a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } }, required: ['path'], additionalProperties: false },
};
export const READ: ToolSchema = { ...WRITE, name: 'read_file', kind: 'data_source', risk: 'read_only', description: 'reads a file' };

export const sealed = (value: JsonObject): Sealed<JsonObject> => ({ digest: digestOf(value), bytes: Buffer.byteLength(canonicalJson(value)), value });
export const call = (callId: string, operation = 'write_file', input: JsonObject = { path: 'a.txt' }, provider = 'files'): ProposedCall =>
  ({ callId, provider, operation, input: sealed(input) });

/** Policy's part in an answer that grants: what it was asked, and a place to let it fail. */
export class PolicyDouble implements PolicyCommands {
  readonly reserved: Command<ReserveGrant>[] = [];
  readonly activated: Command<ActivateGrant>[] = [];
  /** Thrown by the next calls, first one first; undefined lets one through. */
  readonly reserveFails: (Error | undefined)[] = [];
  readonly activateFails: (Error | undefined)[] = [];

  async reserve(command: Command<ReserveGrant>): Promise<GrantChecked> {
    const failure = this.reserveFails.shift();
    if (failure) throw failure;
    this.reserved.push(command);
    return command.scope === 'always' ? { grantId: `g${'1'.repeat(24)}`, reservation: `r${this.reserved.length}` } : {};
  }

  async activate(command: Command<ActivateGrant>): Promise<void> {
    const failure = this.activateFails.shift();
    if (failure) throw failure;
    this.activated.push(command);
  }
}

/** Planner as it runs, over a log, blobs and timers in memory and a clock that the test moves. */
export function plannerInMemory({ skew = () => 0 }: { /** What planner's own clock is ahead of the timers', in milliseconds. */ readonly skew?: () => number } = {}) {
  const broker = new InMemoryBroker();
  const timers = new InMemoryTimers(START);
  const now = (): Date => new Date(timers.now().getTime() + skew());
  const blobs = new InMemoryBlobStore();
  const warnings: object[] = [];
  const log = new InMemoryEventLog('planner', broker, now);
  const policy = new PolicyDouble();
  const services = plannerServices({
    log, blobs, timers, now, policy,
    config: { broker: { urls: [], user: '', password: '' }, assertionPublicKeys: { k1: GATEWAY.publicKey.export({ type: 'spki', format: 'pem' }) as string } },
    logger: { info: () => {}, warn: (fields) => { warnings.push(fields); }, error: () => {} },
  });
  timers.onFire((name) => {
    const session = sessionOfTimer(name);
    return session ? services.sessionEnds.fired(session) : services.clock.fired(name);
  });
  const context = (principal = 'ops', tenant = 'acme'): CommandContext => ({ tenant, principal, correlationId: 'r1' });
  const at = (): string => now().toISOString();
  const eventsOf = (plan: string): PlanEvent[] => broker.all('GATE').filter((event) => event.key.id === plan) as unknown as PlanEvent[];

  const shown = ({ planId, itemId }: Pick<AnswerItem, 'planId' | 'itemId'>): string => foldOf(planFold, eventsOf(planId)).items.get(itemId)?.verdict?.itemDigest ?? 'none';

  return {
    ...services, policy, broker, timers, blobs, warnings, context, at, now, log,
    typesOf: (plan = PLAN): string[] => eventsOf(plan).map((event) => event.type),
    eventsOf,
    planState: (plan = PLAN): PlanState => foldOf(planFold, eventsOf(plan)),
    /** A tenant, a provider `files` and an open session. */
    async ready(operations: readonly ToolSchema[] = [READ, WRITE], localProcesses = true) {
      const key = { keyId: 'k1', secretHash: sha256('secret'), principal: 'ops', roles: ['admin' as const] };
      await services.tenants.register({ context: context(), name: 'Acme', localProcesses, keys: [key], at: at() });
      await services.providers.register({ context: context(), name: 'files', endpoint: { transport: 'fake' }, operations, at: at() });
      await services.sessions.open({ context: context('agent'), sessionId: SESSION, agent: 'coder', profile: 'default', kind: 'chat', requestDigest: 'session', at: at() });
    },
    proposal: (calls: readonly ProposedCall[] = [call('c1')], change: Partial<Command<Propose>> = {}): Command<Propose> => ({
      context: context('agent'), planId: PLAN, sessionId: SESSION, turnId: 't1', requestDigest: digestOf(calls), calls, at: at(), ...change,
    }),
    /** Policy's verdict, as policy would append it. */
    async judge(decision: 'allow' | 'ask' | 'deny', { plan = PLAN, expiresInMs = 1_800_000, terms }: { plan?: string; expiresInMs?: number; terms?: Partial<AskTerms> } = {}) {
      const asked = decision === 'ask' ? { expiresInMs, terms: { quorum: 1, onTimeout: 'deny', scopes: ['once', 'session', 'always'], ...terms } as const } : {};
      const store = createAggregateStore(new InMemoryEventLog('policy', broker, now), planFold);
      await store.transact(planKey('acme', plan), ({ state }) => recordVerdicts(state, {
        planId: plan, verdicts: [...state.items.keys()].map((itemId) => ({ itemId, decision, decidedBy: 'policy:default', ...asked })),
        bundle: { version: 0, digest: 'none' },
        saw: { session: 1, catalogue: 1 }, evaluatedAt: at(), engine: 'spec',
      }), { meta: { actor: 'service:policy', correlationId: 'r1' } });
    },
    /** An answer with the gateway's signature over what it says. */
    answer(said: Partial<AnswerItem> & { readonly principal?: string } = {}): Command<AnswerItem> {
      const { principal = 'ops', ...change } = said;
      const command = { planId: PLAN, itemId: 'i1', decision: 'approve' as const, roles: ['approver'], scope: 'once' as const, at: at(), ...change };
      const itemDigest = said.itemDigest ?? shown(command);
      const { planId: plan, ...claimed } = { ...command, itemDigest };
      return { ...command, itemDigest, context: context(principal), assertion: signed({ ...claimed, plan, tenant: 'acme', principal, method: 'api-key' }) };
    },
    correction(input: JsonObject | Sealed<JsonObject>, said: Partial<CorrectItem> & { readonly principal?: string } = {}): Command<CorrectItem> {
      const { principal = 'ops', ...change } = said;
      const body = isSealed(input) ? input : sealed(input);
      const command = { planId: PLAN, itemId: 'i1', roles: ['approver'], at: at(), ...change };
      const itemDigest = said.itemDigest ?? shown(command);
      const { planId: plan, ...claimed } = { ...command, itemDigest };
      const assertion = signed({ ...claimed, plan, tenant: 'acme', principal, method: 'api-key', decision: 'correct', inputDigest: body.digest });
      return { ...command, itemDigest, input: body, context: context(principal), assertion };
    },
    sessionKey: sessionKey('acme', SESSION),
  };
}

export const signed = (claims: AnswerAssertion['claims']): AnswerAssertion =>
  ({ claims, keyId: 'k1', signature: sign(null, Buffer.from(canonicalJson(claims)), GATEWAY.privateKey).toString('base64url') });

const isSealed = (input: JsonObject | Sealed<JsonObject>): input is Sealed<JsonObject> => typeof (input as Partial<Sealed>).digest === 'string';

export const refusalOf = async (work: Promise<unknown>): Promise<{ code?: string; details?: unknown; message?: string }> => {
  try {
    await work;
    return {};
  } catch (error) {
    const { code, details, message } = error as { code?: string; details?: unknown; message?: string };
    return { code, details, message };
  }
};
