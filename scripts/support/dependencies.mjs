import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, inRoot } from './root.mjs';
import { run } from './run.mjs';
import { say, seconds } from './say.mjs';

/**
 * Whether `node_modules` is what package-lock.json asks for. npm writes what it installed into a hidden lock as its last
 * act, so an interrupted installation has none, and one done by hand counts as well.
 * @returns {string | undefined} why it does not fit; undefined when it does
 */
export function whyDependenciesDoNotFit(root = ROOT) {
  if (!existsSync(join(root, 'node_modules'))) return 'there is no node_modules';
  const wanted = packagesIn(join(root, 'package-lock.json'));
  const installed = packagesIn(join(root, 'node_modules', '.package-lock.json'));
  if (!wanted) throw new Error('package-lock.json is missing or damaged: restore it (git checkout package-lock.json)');
  if (!installed) return 'the last installation did not come to its end';
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/')) continue;
    const reason = entry.link ? linkProblem(root, path) : versionProblem(path, entry, installed[path]);
    if (reason) return reason;
  }
  return undefined;
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

const linkProblem = (root, path) => (lstatSync(join(root, path), { throwIfNoEntry: false }) ? undefined : `${path} is not linked`);

/** A package for another platform is rightly absent. */
function versionProblem(path, wanted, installed) {
  if (!installed) return wanted.optional || wanted.devOptional ? undefined : `${path} is missing`;
  return installed.version === wanted.version ? undefined : `${path} is ${installed.version}, the lock says ${wanted.version}`;
}

/**
 * `npm ci`, with a line every few seconds. No package's install script is run: none is needed, whatever the version of npm.
 * @throws Error with npm's own words when it fails
 */
export async function installDependencies(reason) {
  const started = performance.now();
  const expected = Object.keys(packagesIn(inRoot('package-lock.json')) ?? {}).length;
  say(`install: ${reason}; installing ${expected} packages from package-lock.json (a minute or two the first time) …`);
  const heartbeat = setInterval(() => say(`install: still at it after ${seconds(started)} …`), 10_000);
  const { code, output } = await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
    .finally(() => clearInterval(heartbeat));
  if (code !== 0) {
    throw new Error(`npm ci failed with exit code ${code}. Is the package registry reachable from here?\n\n${output.trim()}`);
  }
  say(`install: done in ${seconds(started)}`);
}

/** The npm that started us, if one did; else the one beside this Node, on PATH. */
async function runNpm(args) {
  const started = process.env.npm_execpath ?? '';
  const options = { capture: true };
  if (/npm-cli\.c?js$/.test(started)) return run(process.execPath, [started, ...args], options);
  try {
    return await run('npm', args, options);
  } catch (error) {
    throw new Error(`npm is needed to install the dependencies and cannot be started: ${error.message}`);
  }
}
