import type { JsonObject, ToolSchema, OperationSnapshot } from '@countersign/contracts';
import { digestOf } from '@countersign/kernel';
import type { ApplyCall, Provider } from './provider.js';
import { compileSchema } from './schemas/compile-schema.js';

/** One operation with an input that works. */
export interface ContractCall {
  readonly operation: string;
  readonly input: JsonObject;
}

/** What a suite needs to know of the provider under test. */
export interface ProviderUnderTest {
  /** Healthy; `effects` counts what its write has changed so far. */
  readonly healthy: () => Promise<{ provider: Provider; effects: () => Promise<number> }>;
  /** Each one's `write` or `read` does what its name says; the same provider is used for `recovers`. */
  readonly hanging: () => Promise<Provider>;
  readonly crashing: () => Promise<Provider>;
  readonly garbling: () => Promise<Provider>;
  readonly read: ContractCall;
  readonly write: ContractCall;
  /** Whether its `write` has a preview. */
  readonly previews: boolean;
  /** Whether it can tell afterwards what became of its `write`. */
  readonly reconciles: boolean;
  /** Calls of the misbehaving ones; default `read`. */
  readonly misbehave?: ContractCall;
}

/** An operation as a plan's snapshot has it, inline. */
export function snapshotOf(provider: string, schema: ToolSchema): OperationSnapshot {
  const sealed = (value: JsonObject): OperationSnapshot['inputSchema'] => ({ digest: digestOf(value), bytes: JSON.stringify(value).length, value });
  const { inputSchema, outputSchema, ...rest } = schema;
  return {
    ...rest, provider, schemaDigest: digestOf(schema), inputSchema: sealed(inputSchema),
    ...(outputSchema ? { outputSchema: sealed(outputSchema) } : {}),
  };
}

/** A call as the executor would make it. */
export async function callOf(provider: Provider, call: ContractCall, options: { signal?: AbortSignal; key?: string; expectedFingerprint?: string } = {}): Promise<ApplyCall> {
  const schema = (await provider.describe()).find((candidate) => candidate.name === call.operation);
  if (!schema) throw new Error(`the provider has no operation ${call.operation}`);
  return {
    tenant: 't1', session: 's00000001', operation: snapshotOf('under-test', schema), input: call.input,
    signal: options.signal ?? AbortSignal.timeout(10_000), idempotencyKey: options.key ?? 'key-1', fence: 1,
    ...(options.expectedFingerprint === undefined ? {} : { expectedFingerprint: options.expectedFingerprint }),
  };
}

/** What every adapter must do. Uses the globals of the test runner; call it from a spec only. */
export function providerContract(name: string, make: () => Promise<ProviderUnderTest>): void {
  describe(`provider contract: ${name}`, () => {
    const opened: Provider[] = [];
    const open = <P extends Provider>(provider: P): P => { opened.push(provider); return provider; };
    afterEach(async () => { await Promise.all(opened.splice(0).map((provider) => provider.close())); });

    it('describes operations whose kind and risk agree', async () => {
      const { provider } = await (await make()).healthy();
      const operations = await open(provider).describe();
      expect(operations.length).toBeGreaterThan(0);
      expect(new Set(operations.map((operation) => operation.name)).size).toBe(operations.length);
      for (const operation of operations) expect(operation.kind === 'resource').toBe(operation.risk !== 'read_only');
    });

    it('previews without changing anything', async () => {
      const test = await make();
      const { provider, effects } = await test.healthy();
      const before = await effects();
      const answer = await open(provider).preview(await callOf(provider, test.write));
      if (test.previews) expect(answer).toMatchObject({ tree: { nodes: expect.arrayContaining([expect.objectContaining({ type: expect.any(String) })]) }, fingerprint: expect.any(String) });
      else expect(answer).toEqual({ absent: 'unsupported' });
      expect(await effects()).toBe(before);
    });

    it('reads and writes, once each', async () => {
      const test = await make();
      const { provider, effects } = await test.healthy();
      const before = await effects();
      expect(await open(provider).apply(await callOf(provider, test.read))).toMatchObject({ ok: true });
      expect(await provider.apply(await callOf(provider, test.write))).toMatchObject({ ok: true });
      expect(await effects()).toBe(before + 1);
    });

    it('answers timeout at the deadline of a call that hangs', async () => {
      const test = await make();
      const provider = open(await test.hanging());
      const call = await callOf(provider, test.misbehave ?? test.read, { signal: AbortSignal.timeout(300) });
      const started = performance.now();
      expect(await provider.apply(call)).toMatchObject({ ok: false, error: { category: 'timeout' } });
      expect(performance.now() - started).toBeLessThan(3_000);
    });

    it('answers cancelled when the caller gives up', async () => {
      const test = await make();
      const provider = open(await test.hanging());
      const controller = new AbortController();
      const call = await callOf(provider, test.misbehave ?? test.read, { signal: controller.signal });
      setTimeout(() => controller.abort(), 100);
      expect(await provider.apply(call)).toMatchObject({ ok: false, error: { category: 'cancelled' } });
    });

    it('names a crash in mid-call, and never throws', async () => {
      const test = await make();
      const provider = open(await test.crashing());
      const answer = await provider.apply(await callOf(provider, test.misbehave ?? test.read));
      expect(answer).toMatchObject({ ok: false, error: { category: 'process_crashed' } });
    });

    it('turns garbage into a failure or into a result that the schema check refuses, and never throws', async () => {
      const test = await make();
      const provider = open(await test.garbling());
      const call = await callOf(provider, test.misbehave ?? test.read);
      const answer = await provider.apply(call);
      const problem = answer.ok ? compileSchema(call.operation.outputSchema!.value!)(answer.result, 0)?.problem : answer.error.message;
      expect(problem).toEqual(expect.any(String));
    });

    it('finds out before and after a write whether it took effect, or says that it does not know, and changes nothing by it', async () => {
      const test = await make();
      const { provider, effects } = await test.healthy();
      const preview = await open(provider).preview(await callOf(provider, test.write));
      const call = await callOf(provider, test.write, 'tree' in preview && preview.fingerprint !== undefined ? { expectedFingerprint: preview.fingerprint } : {});
      const before = await effects();
      expect(await provider.reconcile(call)).toEqual({ found: test.reconciles ? 'not_applied' : 'unknown' });
      expect(await effects()).toBe(before);
      await provider.apply(call);
      expect((await provider.reconcile(call)).found).toBe(test.reconciles ? 'applied' : 'unknown');
      expect(await effects()).toBe(before + 1);
    });

    it('closes twice without a fault', async () => {
      const { provider } = await (await make()).healthy();
      await provider.describe();
      await provider.close();
      await expect(provider.close()).resolves.toBeUndefined();
    });
  });
}
