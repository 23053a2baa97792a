import { renderDiff } from './render-diff.js';

describe('a diff in colours', () => {
  const before = { tty: process.stdout.isTTY, plain: process.env['NO_COLOR'] };
  beforeAll(() => { process.stdout.isTTY = true; delete process.env['NO_COLOR']; });
  afterAll(() => {
    process.stdout.isTTY = before.tty;
    if (before.plain !== undefined) process.env['NO_COLOR'] = before.plain;
  });
  const colours = (unified: string) => renderDiff(unified).split('\n').map((line) => Number(/^\u001b\[(\d+)m/.exec(line)?.[1]));
  const [bold, dim, red, green, cyan] = [1, 2, 31, 32, 36];

  it('tells headers by their place, so that no content can pose as a file', () => {
    expect(colours('--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n--- a/other\n+++ b/other\n same\n\\ No newline at end of file\n@@ -9 +9,2 @@\n-x\n+y\n+@@ -1 +1 @@\n--- a/y\n+++ b/y'))
      .toEqual([bold, bold, cyan, dim, red, green, dim, dim, cyan, red, green, green, bold, bold]);
  });

  it('shows what is no diff without a colour of one', () => {
    expect(colours('+added\n-removed')).toEqual([bold, bold]);
  });
});
