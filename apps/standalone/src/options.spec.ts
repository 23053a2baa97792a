import { HELP, parseOptions } from './options.js';

describe('the options of npm start', () => {
  it('show the demonstration in one process unless told otherwise', () => {
    expect(parseOptions([])).toEqual({ once: false, demo: true, processes: false, help: false });
    expect(parseOptions(['--once', '--no-demo', '--processes', '--help'])).toEqual({ once: true, demo: false, processes: true, help: true });
  });

  it.each([['--no-dmeo'], ['here'], ['--once=yes']])('refuse %s instead of passing over it, and name it', (argument) => {
    expect(() => parseOptions([argument])).toThrow(argument.split('=')[0]);
  });

  it('are all told by --help', () => {
    for (const option of ['--once', '--no-demo', '--processes', '--help']) expect(HELP).toContain(option);
  });
});
