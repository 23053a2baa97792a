import { exists, read } from './tree.js';
import { testNamesIn } from './named-tests.js';

interface Row { readonly line: number; readonly must: string; readonly source: string; readonly tests: readonly string[] }

/** Rows of the tables in docs/INVARIANTS.md: `| MUST … | source | `path › test name`, … |`. */
function rows(text: string): Row[] {
  return text.split('\n').map((line, index) => ({ line: index + 1, cells: line.split('|').slice(1, -1).map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.length === 3 && cells[0] !== 'MUST' && !/^-+$/.test(cells[0]!))
    .map(({ line, cells }) => ({
      line, must: cells[0]!, source: cells[1]!, tests: [...cells[2]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
    }));
}

/** What is wrong with a row's test; undefined when there is one of that name. */
function problemOf(reference: string): string | undefined {
  const [path = '', ...rest] = reference.split(' › ');
  const name = rest.join(' › ');
  if (name === '') return `${reference}: write it as \`path › test name\``;
  if (!exists(path)) return `${reference}: there is no such file`;
  const names = testNamesIn(path);
  if (names.some((full) => full === name || full.endsWith(` › ${name}`))) return undefined;
  return `${reference}: there is no such test; the file has\n    ${names.join('\n    ')}`;
}

describe('docs/INVARIANTS.md', () => {
  const table = rows(read('docs/INVARIANTS.md'));

  it('has rows, each with a sentence, its source and a test', () => {
    expect(table.length).toBeGreaterThan(0);
    expect(table.filter(({ must, source, tests }) => must === '' || source === '' || tests.length === 0)).toEqual([]);
  });

  it('names tests that exist', () => {
    expect(table.flatMap(({ line, tests }) => tests.map(problemOf).filter(Boolean).map((problem) => `line ${line}: ${problem}`))).toEqual([]);
  });

  it('would notice a test that is gone, a file that is gone and a row without a test', () => {
    const [row] = rows('| something MUST hold | a document | `test/architecture/invariants.spec.ts › no such test` |');
    expect(row!.tests.map(problemOf)).toEqual([expect.stringContaining('there is no such test')]);
    expect(problemOf('libs/nowhere.spec.ts › anything')).toContain('there is no such file');
    expect(problemOf('test/architecture/invariants.spec.ts')).toContain('path › test name');
    expect(problemOf('test/architecture/invariants.spec.ts › docs/INVARIANTS.md › names tests that exist')).toBeUndefined();
  });
});
