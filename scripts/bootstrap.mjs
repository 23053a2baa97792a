/**
 * What every command does first: check this Node, install the dependencies if they do not fit the lock, compile what
 * changed. Uses Node alone, since nothing may be installed yet. All progress goes to stderr.
 */
import { fileURLToPath } from 'node:url';
import { say } from './support/say.mjs';

const LEAST_NODE = [20, 19];

/** @returns {string | undefined} what is wrong with this Node, for people; undefined when it will do */
export function nodeProblem(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Countersign needs Node ${LEAST_NODE.join('.')} or newer; this is Node ${version} (${process.execPath}). `
    + 'Install a newer one and run the same command again.';
}

/**
 * @param {{ tell?: (line: string) => void }} [options] `tell` hears of compiling only; an installation is always told
 * @throws Error whose message says what is wrong and what to do
 */
export async function bootstrap({ tell = say } = {}) {
  await ensureDependencies();
  const { build } = await import('./build.mjs');
  await build({ tell });
}

/** For what runs from the sources: the first half of the above. @throws Error as above */
export async function ensureDependencies() {
  const problem = nodeProblem();
  if (problem) throw new Error(problem);
  const { installDependencies, whyDependenciesDoNotFit } = await import('./support/dependencies.mjs');
  const reason = whyDependenciesDoNotFit();
  if (reason) await installDependencies(reason);
}

/**
 * Runs a command's body; what it throws is told in its own words, with the stack only when COUNTERSIGN_DEBUG is set.
 * @param {() => Promise<number | void>} body its number becomes the exit code
 */
export async function command(body) {
  try {
    const code = await body();
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    say(process.env.COUNTERSIGN_DEBUG && error instanceof Error ? error.stack : words);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await command(() => bootstrap());
