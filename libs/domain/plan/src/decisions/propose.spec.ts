import { planFacts, scenario } from '@countersign/testkit';
import { planFold } from '../state.js';
import { propose, type ProposePlan } from './propose.js';

const { PLAN_ID, T0, at, proposed, sealedInline, OPERATIONS } = planFacts;
const on = scenario(planFold, propose);

const call = (callId: string, operation = 'files/write', n = 0) => ({ callId, operation, input: sealedInline({ n }) });
const command = (change: Partial<ProposePlan> = {}): ProposePlan => ({
  planId: PLAN_ID, turnId: 't1', requester: 'agent', requestDigest: 'request', proposedAt: T0, saw: { session: 1, catalogue: 1 },
  profile: 'default', providers: { files: { version: 1, digest: 'catalogue', endpoint: { transport: 'fake' } } },
  operations: OPERATIONS, verdictDueAt: at(60), calls: [call('c1', 'files/read', 0), call('c2', 'files/write', 1)], ...change,
});

describe('propose', () => {
  it('fixes the calls in their order, with the operations as they are', () => {
    on.given([]).when(command()).then([proposed(['read', 'write'])]).thenReply({ repeated: false });
  });

  it('says nothing to the same request, even when it would be refused today', () => {
    on.given([proposed(['read'])]).when(command({ calls: [] })).thenNothing().thenReply({ repeated: true });
  });

  it('refuses another body under the same id', () => {
    on.given([proposed(['read'])]).when(command({ requestDigest: 'other' })).thenRefused('IDEMPOTENCY_KEY_REUSED', { plan: PLAN_ID });
  });

  it('refuses an empty plan, one item too many, and takes the largest', () => {
    const calls = Array.from({ length: 1_001 }, (_, index) => call(`c${index}`));
    on.given([]).when(command({ calls: [] })).thenRefused('PLAN_EMPTY');
    on.given([]).when(command({ calls })).thenRefused('PLAN_TOO_LARGE');
    on.given([]).when(command({ calls: calls.slice(1) })).thenReply({ repeated: false });
  });

  it('refuses two calls of one id, naming it, and ids without or with too much text', () => {
    on.given([]).when(command({ calls: [call('a'), call('b'), call('a')] })).thenRefused('DUPLICATE_CALL_ID', { callId: 'a' });
    on.given([]).when(command({ calls: [call('')] })).thenRefused('INVALID_REQUEST');
    on.given([]).when(command({ calls: [call('x'.repeat(129))] })).thenRefused('INVALID_REQUEST');
  });

  it('refuses an operation that the snapshot lacks, also one named like a member of every object', () => {
    on.given([]).when(command({ calls: [call('a', 'files/none')] })).thenRefused('OPERATION_UNKNOWN');
    on.given([]).when(command({ calls: [call('a', 'constructor')] })).thenRefused('OPERATION_UNKNOWN');
  });
});
