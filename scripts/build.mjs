/**
 * Compiles every package's `src` into its `dist` with SWC, file by file. Types are not checked here (`npm run typecheck`).
 *
 * An output carries the modification time of its source, so "unchanged" is an equality of times and needs no clock;
 * a change of the compiler or its options rebuilds everything. Each file is written beside its place and renamed into it:
 * a process that starts during a build never reads half a module.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow, packageFolders } from './support/packages.mjs';
import { ROOT } from './support/root.mjs';
import { say, seconds } from './support/say.mjs';
import { isSpecOnly } from './support/spec-files.mjs';

const isModule = (path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !isSpecOnly(path);
const isData = (path) => /\.(sql|json|yaml)$/.test(path);

/** What is compiled from where to where. The benchmark is no package, but runs compiled like one. */
const units = (root) => [
  ...packageFolders(root).map((folder) => ({ name: folder, from: join(root, folder, 'src'), to: join(root, folder, 'dist') })),
  { name: 'test/load', from: join(root, 'test/load'), to: join(root, 'test/load/dist') },
].filter((unit) => existsSync(unit.from));

/**
 * @param {{ root?: string, tell?: (line: string) => void }} [options]
 * @returns {Promise<{ compiled: number, copied: number, removed: number }>}
 * @throws Error naming every file that could not be compiled, with the compiler's reason
 */
export async function build({ root = ROOT, tell = say } = {}) {
  const started = performance.now();
  const stamp = stampOf(root);
  const work = units(root).map((unit) => ({ ...unit, ...plan(unit, stamp) }));
  const removed = work.reduce((sum, unit) => sum + removeLeftovers(unit), 0);
  const modules = work.flatMap((unit) => unit.modules);
  const data = work.flatMap((unit) => unit.data);
  if (modules.length > 0) tell(`build: compiling ${modules.length} modules …`);
  data.forEach(copy);
  await compileAll(modules, root);
  for (const unit of work) if (unit.outdated) writeWhole(join(unit.to, '.stamp'), stamp);
  if (modules.length + data.length + removed > 0) {
    tell(`build: ${modules.length} compiled, ${data.length} copied, ${removed} removed in ${seconds(started)}`);
  }
  return { compiled: modules.length, copied: data.length, removed };
}

/** Identifies how sources are compiled: the options, the compiler, and this file. */
function stampOf(root) {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(root, '.swcrc'))).update(readFileSync(fileURLToPath(import.meta.url)));
  hash.update(String(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies['@swc/core']));
  return hash.digest('hex');
}

/** Which outputs of a unit are missing, older or newer than their sources. */
function plan(unit, stamp) {
  const stampFile = join(unit.to, '.stamp');
  const outdated = !existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp;
  const sources = filesBelow(unit.from);
  const jobs = (wanted, rename) => sources.filter(wanted).map((path) => jobFor(join(unit.from, path), join(unit.to, rename(path))));
  const modules = jobs(isModule, (path) => path.replace(/\.ts$/, '.js'));
  const data = jobs(isData, (path) => path);
  return {
    outdated,
    outputs: [...modules, ...data].map((job) => job.output),
    modules: modules.filter((job) => outdated || !isCurrent(job)),
    data: data.filter((job) => outdated || !isCurrent(job)),
  };
}

/** The source's time is taken before it is read: what is saved during the build is newer than its output and is built next time. */
const jobFor = (source, output) => ({ source, output, times: statSync(source) });

function isCurrent({ output, times }) {
  const built = statSync(output, { throwIfNoEntry: false });
  return built !== undefined && Math.abs(built.mtimeMs - times.mtimeMs) < 2;
}

/** An output whose source is gone must not stay importable. */
function removeLeftovers(unit) {
  const expected = new Set(unit.outputs.flatMap((output) => [output, `${output}.map`]));
  const leftovers = filesBelow(unit.to).map((path) => join(unit.to, path))
    .filter((path) => !expected.has(path) && !path.endsWith('.stamp') && !path.endsWith('.part'));
  for (const path of leftovers) rmSync(path, { force: true });
  return leftovers.filter((path) => !path.endsWith('.map')).length;
}

async function compileAll(jobs, root) {
  if (jobs.length === 0) return;
  const { transformFile } = await import('@swc/core');
  const options = { cwd: root, configFile: join(root, '.swcrc'), swcrc: true };
  const nameFor = (job) => relative(dirname(job.output), job.source);
  const failures = [];
  await Promise.all(jobs.map(async (job) => {
    try {
      const { code, map } = await transformFile(job.source, { ...options, sourceFileName: nameFor(job) });
      writeOutput(job, code, map);
    } catch (error) {
      failures.push(`${job.source.slice(root.length + 1)}\n${reasonOf(error)}`);
    }
  }));
  if (failures.length > 0) throw new Error(`build: ${failures.length} of ${jobs.length} modules failed\n\n${failures.sort().join('\n\n')}`);
}

/** The compiler's own words, without its inner causes and stack. */
const reasonOf = (error) => String(error instanceof Error ? error.message : error).split(/\n\s*Caused by:/)[0].trimEnd();

function writeOutput(job, code, map) {
  if (map) {
    writeWhole(`${job.output}.map`, map);
    code += `\n//# sourceMappingURL=${job.output.slice(job.output.lastIndexOf('/') + 1)}.map\n`;
  }
  writeWhole(job.output, code, job.times);
}

function copy(job) {
  writeWhole(job.output, readFileSync(job.source), job.times);
}

function writeWhole(path, content, times) {
  mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, content);
  if (times) utimesSync(part, times.atime, times.mtime);
  renameSync(part, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { command, ensureDependencies } = await import('./bootstrap.mjs');
  await command(async () => {
    await ensureDependencies();
    const { compiled, copied, removed } = await build();
    if (compiled + copied + removed === 0) say('build: nothing changed');
  });
}
