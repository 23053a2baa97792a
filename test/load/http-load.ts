import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer { readonly status: number; readonly body: string; readonly ms: number }

/** Plain keep-alive HTTP; leaner than fetch, so that the load costs the machine less than what it measures. */
export class HttpLoad {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 512 });

  constructor(private readonly url: string, private readonly key: string) {}

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    const started = performance.now();
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const call = request(new URL(path, this.url), {
        method,
        agent: this.agent,
        headers: { authorization: `Bearer ${this.key}`, ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }) },
      }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8'), ms: performance.now() - started }));
        response.on('error', reject);
      });
      call.on('error', reject);
      call.end(text);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Sends at a fixed rate for a time, whatever the answers take (an open loop hides no queue). */
export async function atRate<T>(perSecond: number, seconds: number, send: (index: number) => Promise<T>): Promise<T[]> {
  const total = Math.round(perSecond * seconds);
  const started = performance.now();
  const answers: Promise<T>[] = [];
  for (let index = 0; index < total; index += 1) {
    const due = started + (index * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    answers.push(send(index));
  }
  return Promise.all(answers);
}

/** Keeps `parallel` requests under way for a time. @returns answers and how many a second came back */
export async function saturated<T>(parallel: number, seconds: number, send: (index: number) => Promise<T>): Promise<{ answers: T[]; perSecond: number }> {
  const started = performance.now();
  const until = started + seconds * 1_000;
  const answers: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < until) answers.push(await send(next++));
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return { answers, perSecond: (answers.length * 1_000) / (performance.now() - started) };
}
