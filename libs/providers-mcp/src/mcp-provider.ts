import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS, type ToolSchema } from '@countersign/contracts';
import { GateError, isGateError } from '@countersign/kernel';
import {
  failureOfAbort, isTimeout, refused,
  type ApplyAnswer, type ApplyCall, type FailedAnswer, type PreviewAnswer, type Provider, type ProviderCall, type ProviderFactory,
  type ReconcileAnswer,
} from '@countersign/providers';
import { answerOf, answerOfError } from './answers.js';
import { McpConnection } from './connection.js';
import { toolSchemaOf } from './describe-tools.js';
import { filesAdapter } from './files/files-adapter.js';
import { plainAdapter, type McpAdapter, type ToolCaller } from './mcp-adapter.js';
import type { StdioEndpoint } from './stdio-process.js';

/** Tools of an MCP server over stdio as a provider. One process at a time, started by the first call that needs it. */
export const mcpProviderFactory = (): ProviderFactory<'mcp-stdio'> => (endpoint) =>
  new McpProvider(endpoint, endpoint.adapter === 'files' ? filesAdapter : plainAdapter);

const NOTHING_CHANGES = false;

class McpProvider implements Provider {
  private current: Promise<McpConnection> | undefined;
  /** Processes that take no more calls and are on their way out. */
  private readonly leaving = new Set<Promise<void>>();

  constructor(private readonly endpoint: StdioEndpoint, private readonly adapter: McpAdapter) {}

  async describe(): Promise<readonly ToolSchema[]> {
    const tools = await this.tools();
    return tools.map((tool) => toolSchemaOf(tool, this.adapter.overlay(tool, tools)));
  }

  async preview(call: ProviderCall): Promise<PreviewAnswer> {
    return await this.adapter.preview(call, this.caller(call.signal, NOTHING_CHANGES));
  }

  async apply(call: ApplyCall): Promise<ApplyAnswer> {
    const caller = this.caller(call.signal, call.operation.kind === 'resource');
    const drifted = await this.adapter.refusal(call, caller);
    return drifted ?? await caller(call.operation.name, call.input, call.operation.outputSchema !== undefined);
  }

  async reconcile(call: ApplyCall): Promise<ReconcileAnswer> {
    // a process that still works on the lost call could change the target after it was looked at
    await Promise.all(this.leaving);
    return await this.adapter.reconcile(call, this.caller(call.signal, NOTHING_CHANGES));
  }

  async close(): Promise<void> {
    const connection = await this.current?.catch(() => undefined);
    this.current = undefined;
    await connection?.close();
    await Promise.all(this.leaving);
  }

  private async tools(): Promise<Tool[]> {
    const signal = AbortSignal.timeout(LIMITS.describeTimeoutMs);
    const connection = await this.connection();
    try {
      return await connection.listTools(signal);
    } catch (error) {
      if (signal.aborted) this.retire(connection, LIMITS.retiredServerMs);
      if (isGateError(error)) throw error;
      throw new GateError('PROVIDER_UNREACHABLE', 'The server did not list its tools');
    }
  }

  /**
   * A lost call that may change something ends its process at once when it was given up for another reason than its time (the lease is lost):
   * whoever has the message now may be looking already whether it took effect.
   */
  private caller(signal: AbortSignal, mayChange: boolean): ToolCaller {
    return async (tool, input, structured) => {
      const connection = await this.connectionWithin(signal);
      if (!(connection instanceof McpConnection)) return connection;
      try {
        return answerOf(await connection.callTool(tool, input, signal), structured, this.adapter.categoryOf);
      } catch (error) {
        if (signal.aborted) this.retire(connection, mayChange && !isTimeout(signal) ? 0 : LIMITS.retiredServerMs);
        return answerOfError(error, signal, connection.ending);
      }
    };
  }

  /** A server that cannot be started has had no effect. */
  private async connectionWithin(signal: AbortSignal): Promise<McpConnection | FailedAnswer> {
    const neverSent = (): FailedAnswer => ({ ...failureOfAbort(signal), didNotHappen: true });
    if (signal.aborted) return neverSent();
    let onAbort!: () => void;
    const aborted = new Promise<FailedAnswer>((resolve) => { onAbort = (): void => resolve(neverSent()); });
    signal.addEventListener('abort', onAbort, { once: true });
    const started = this.connection().catch((error: unknown): FailedAnswer =>
      refused('process_crashed', isGateError(error) ? error.message : 'The server could not be started'));
    return await Promise.race([started, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
  }

  private async connection(): Promise<McpConnection> {
    for (;;) {
      const opening = (this.current ??= McpConnection.open(this.endpoint));
      const connection = await opening.catch((error: unknown) => {
        if (this.current === opening) this.current = undefined;
        throw error;
      });
      if (!connection.spent) return connection;
      if (this.current === opening) this.current = undefined;
    }
  }

  private retire(connection: McpConnection, graceMs: number): void {
    if (connection.spent) return;
    const gone = connection.retire(graceMs).finally(() => this.leaving.delete(gone));
    this.leaving.add(gone);
  }
}
