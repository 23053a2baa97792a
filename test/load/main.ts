import { mkdtemp, rm } from 'node:fs/promises';
import { arch, cpus, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figures.js';
import { versionsBefore } from './inventory.js';
import { measureEverything } from './measure.js';
import { policyFigures } from './policy.js';

/**
 * `npm run bench`. Figures and their yardsticks of the same run, on this machine. With `--only policy` those of the policy
 * engine alone, which need no server.
 * @param print the only way to standard output
 * @returns the exit code: 0 whenever everything was measured, reached or not
 */
export async function main(argv: readonly string[], print: (text: string) => void): Promise<number> {
  const asJson = argv.includes('--json');
  const quick = argv.includes('--quick');
  if (argv[argv.indexOf('--only') + 1] === 'policy' && argv.includes('--only')) {
    print(textOf(policyFigures(quick), asJson));
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    say(`${cpus().length} × ${cpus()[0]?.model.trim()}, ${platform()} ${arch()}, ${await versionsBefore()}`);
    const figures = await measureEverything({ folder, quick, say });
    print(textOf(figures, asJson));
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const textOf = (figures: Readonly<Record<string, Figure>>, asJson: boolean): string => (asJson ? JSON.stringify(figures, null, 2) : tableOf(figures));

function tableOf(figures: Readonly<Record<string, Figure>>): string {
  const rows = Object.entries(figures).map(([name, one]) => [
    name, `${one.value} ${one.unit}`, one.goal, one.met === null ? '' : one.met ? 'met' : 'NOT MET',
    one.yardstick === null ? '' : `yardstick ${one.yardstick}`, one.ratio === null ? '' : `ratio ${one.ratio}`,
  ]);
  const widths = rows.reduce<number[]>((widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)), []);
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}
