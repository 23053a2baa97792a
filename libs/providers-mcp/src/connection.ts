import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema, ListToolsResultSchema, type CallToolResult, type Tool } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS, type JsonObject } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { deadlineIn } from '@countersign/providers';
import { StdioProcess, type Ending, type StdioEndpoint } from './stdio-process.js';

/** A paging server that never comes to an end is cut off after this many pages. */
const PAGES = 100;
/** Beyond every deadline of a caller: the caller's signal is what ends a request, not the SDK's own timer. */
const NEVER_MS = 2 ** 31 - 1;

/** Why a server that has not ended cannot be used. Texts of the server itself are not told. */
function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (code === 'ENOENT') return 'was not found';
  if (code === 'EACCES') return 'may not be run';
  return `did not answer MCP's initialize within ${LIMITS.describeTimeoutMs / 1_000} s, or not as MCP has it`;
}

/** One server process, initialized. It is used until it ends or is retired, and never comes back: a new one is made. */
export class McpConnection {
  private calls = 0;
  private retired = false;

  private constructor(private readonly process: StdioProcess, private readonly client: Client) {
    process.awaiting = () => this.calls > 0;
  }

  /** @throws GateError PROVIDER_UNREACHABLE, and the process is gone */
  static async open(endpoint: StdioEndpoint): Promise<McpConnection> {
    const process = new StdioProcess(endpoint);
    const client = new Client({ name: 'countersign', version: '1' }, { capabilities: {} });
    try {
      await client.connect(process, { timeout: LIMITS.describeTimeoutMs });
      return new McpConnection(process, client);
    } catch (error) {
      await process.endedSoon();
      const why = process.howItEnded ?? reasonOf(error);
      await process.kill();
      throw new GateError('PROVIDER_UNREACHABLE', `The server "${endpoint.command}" ${why}. Run the same command by hand to see what it prints.`);
    }
  }

  /** Takes no more calls. */
  get spent(): boolean {
    return this.retired || this.process.ending !== undefined;
  }

  get ending(): Ending | undefined {
    return this.process.ending;
  }

  async listTools(signal: AbortSignal): Promise<Tool[]> {
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES && tools.length <= LIMITS.providerOperations; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.counted(signal, (options) => this.client.request({ method: 'tools/list', params }, ListToolsResultSchema, options));
      tools.push(...result.tools);
      cursor = result.nextCursor;
      if (cursor === undefined) return tools;
    }
    throw new GateError('PROVIDER_INVALID', `The server advertises more than ${LIMITS.providerOperations} operations, or pages without end`);
  }

  /** @throws McpError, ZodError (an answer of the wrong shape), the signal's reason */
  async callTool(name: string, input: JsonObject, signal: AbortSignal): Promise<CallToolResult> {
    const request = { method: 'tools/call', params: { name, arguments: input } } as const;
    return await this.counted(signal, (options) => this.client.request(request, CallToolResultSchema, options));
  }

  /**
   * A call ran out of its time, so nobody knows what the process still does for it. It takes no more calls, and is
   * killed once those that run have had their time; from then on nothing of the lost call can take effect.
   */
  async retire(graceMs: number): Promise<void> {
    this.retired = true;
    const end = performance.now() + graceMs;
    while (this.calls > 0 && !this.process.ending && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    await this.process.kill();
  }

  async close(): Promise<void> {
    this.retired = true;
    await this.process.close();
  }

  /** The SDK leaves its listener on the signal it is given; so each request gets one of its own that follows the caller's. */
  private async counted<A>(signal: AbortSignal, request: (options: { signal: AbortSignal; timeout: number }) => Promise<A>): Promise<A> {
    const own = deadlineIn(NEVER_MS, signal);
    this.calls += 1;
    try {
      return await request({ signal: own.signal, timeout: NEVER_MS });
    } finally {
      this.calls -= 1;
      own.end();
    }
  }
}
