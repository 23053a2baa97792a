import { runTool } from './run-tool.js';

/** What the gate was built and tried with; older servers silently ignore what they do not know. */
export const NATS_MINIMUM = '2.14.0';
/** What is fetched when the machine has none. */
export const NATS_PREFERRED = '2.15.1';

/** @throws Error when the program does not run or names no version */
export async function natsVersion(binary: string): Promise<string> {
  const said = await runTool(binary, ['--version'], { timeoutMs: 10_000 });
  const version = /v(\d+\.\d+\.\d+)/.exec(said)?.[1];
  if (!version) throw new Error(`${binary} --version says ${JSON.stringify(said.trim())}, which names no version`);
  return version;
}

/** Whether `version` is at least `minimum`; compared as numbers, so that 2.9 is older than 2.14. */
export function isAtLeast(version: string, minimum: string): boolean {
  const have = version.split('.').map(Number);
  const need = minimum.split('.').map(Number);
  for (let place = 0; place < 3; place += 1) {
    const difference = (have[place] ?? 0) - (need[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** @throws Error when the program does not run or is too old */
export async function requireSuitable(binary: string): Promise<string> {
  const version = await natsVersion(binary);
  if (!isAtLeast(version, NATS_MINIMUM)) throw new Error(`${binary} is version ${version}; ${NATS_MINIMUM} or newer is needed`);
  return version;
}
