import { exists, isShippedSource, isSpec, isText, packagesIn, read, repositoryFiles, sizeOf } from './tree.js';

/** The habits of our code that a machine can check; the reasons stand in docs/adr and beside each rule. */
const files = repositoryFiles();
const texts = files.filter((path) => isText(path) && path !== 'package-lock.json');

/** `path:line: text` of each line that matches; written so that an empty list is what is wanted. */
function linesMatching(paths: readonly string[], pattern: RegExp): string[] {
  return paths.flatMap((path) => read(path).split('\n')
    .map((line, index) => ({ line, where: `${path}:${index + 1}` }))
    .filter(({ line }) => pattern.test(line))
    .map(({ line, where }) => `${where}: ${line.trim().slice(0, 120)}`));
}

describe('sizes', () => {
  const sizes = files.filter(isShippedSource)
    .map((path) => ({ path, lines: read(path).trimEnd().split('\n').length }))
    .sort((a, b) => a.lines - b.lines);
  const at = (share: number) => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * share))]!.lines;
  const worst = () => sizes.slice(-8).reverse().map(({ path, lines }) => `${lines} ${path}`);

  it('has sources to measure', () => {
    expect(sizes.length).toBeGreaterThan(30);
  });

  it('keeps half of the files within 80 lines and nine of ten within 200', () => {
    const over = [[0.5, 80], [0.9, 200]].filter(([share, most]) => at(share!) > most!)
      .flatMap(([share, most]) => [`${share! * 100} % of the files: ${at(share!)} lines, at most ${most}; the largest:`, ...worst()]);
    expect(over).toEqual([]);
  });

  it('has no file above 400 lines', () => {
    expect(sizes.filter(({ lines }) => lines > 400)).toEqual([]);
  });

  it('is no confetti either: half of the files have at least 15 lines', () => {
    expect(at(0.5)).toBeGreaterThanOrEqual(15);
  });

  it('tracks no file of a mebibyte or more', () => {
    expect(files.filter((path) => sizeOf(path) >= 1024 * 1024)).toEqual([]);
  });
});

describe('what no file may say', () => {
  it('names no path of anybody\'s machine', () => {
    expect(linesMatching(texts, /(?<![\w.~/-])\/(work|home|root|Users)\/[\w.]/)).toEqual([]);
  });

  it('names no registry, so that the machine\'s own is used', () => {
    const hosts = ['registry.npmjs', 'registry.yarnpkg', 'npmjs.org', 'deb.debian', 'archive.ubuntu', 'proxy.golang'].map((host) => host.replace('.', '\\.'));
    const others = texts.filter((path) => path !== 'test/architecture/tidy.spec.ts');
    expect(linesMatching(others, new RegExp(hosts.join('|')))).toEqual([]);
    expect(linesMatching(['package-lock.json'], /"resolved": "[a-z+]+:\/\//).slice(0, 5)).toEqual([]);
    expect(linesMatching(['.npmrc'], /registry\s*=\s*[a-z]+:/)).toEqual([]);
  });

  it('leaves nothing marked as still to do', () => {
    const marks = ['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|');
    expect(linesMatching(texts, new RegExp(`\\b(${marks})\\b`))).toEqual([]);
  });

  it('switches no lint rule off without saying why', () => {
    const directive = 'eslint-' + 'disable';
    expect(linesMatching(texts, new RegExp(`${directive}(?!.* -- )`)).filter((line) => !line.startsWith('docs/'))).toEqual([]);
    const silenced = ['@ts-' + 'ignore', '@ts-' + 'nocheck'].join('|');
    expect(linesMatching(texts, new RegExp(silenced))).toEqual([]);
  });
});

describe('specs', () => {
  it('runs all of them: none is singled out or left out, but for what an environment variable asks for', () => {
    const chosen = /\b(it|test|describe)\.(only|skip|todo)\b|\b(fit|fdescribe|xit|xdescribe|xtest)\(/;
    const asked = /process\.env\.\w+ \? (it|describe) : \1\.skip;/;
    expect(linesMatching(files.filter(isSpec), chosen).filter((line) => !asked.test(line) && !line.startsWith('test/architecture/tidy.spec.ts'))).toEqual([]);
  });
});

describe('packages', () => {
  const apps = packagesIn('apps');
  const libs = packagesIn('libs', 'libs/domain');
  const sources = files.filter(isShippedSource);

  it.each(apps)('%s says in its README what it consumes, emits, owns and never does', (app) => {
    const readme = exists(`${app}/README.md`) ? read(`${app}/README.md`) : '';
    expect(['Consumes', 'Emits', 'Owns', 'Never'].filter((word) => !new RegExp(`\\b${word}\\b`).test(readme))).toEqual([]);
  });

  it.each(libs)('%s has one way in', (lib) => {
    const declared = Object.values(JSON.parse(read(`${lib}/package.json`)).exports as Record<string, { source: string }>)
      .map((entry) => `${lib}/${entry.source.replace('./', '')}`);
    const nested = sources.filter((path) => path.startsWith(`${lib}/src/`) && path.endsWith('/index.ts') && !declared.includes(path));
    expect(declared).toContain(`${lib}/src/index.ts`);
    expect(nested.filter((path) => !UNION_OF_EVENTS.includes(path))).toEqual([]);
  });

  it('has no barrels inside apps', () => {
    const inApps = sources.filter((path) => path.startsWith('apps/'));
    expect(inApps.filter((path) => /\/src\/.+\/index\.ts$/.test(path))).toEqual([]);
    expect(linesMatching(inApps, /^export \* from/)).toEqual([]);
  });

  it('gives every package its tag', () => {
    const untagged = [...apps, ...libs].filter((folder) => {
      const tags = (JSON.parse(read(`${folder}/package.json`)) as { nx?: { tags?: string[] } }).nx?.tags ?? [];
      return tags.filter((tag) => tag.startsWith('type:')).length !== 1;
    });
    expect(untagged).toEqual([]);
  });
});

/** Not a way in but a declaration: the type that holds every event. */
const UNION_OF_EVENTS = ['libs/contracts/src/events/index.ts'];
