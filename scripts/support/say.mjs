/** Progress for people goes to stderr, so that a command's stdout carries its result and nothing else. */
export const say = (line = '') => process.stderr.write(`${line}\n`);

/** For commands that should not be heard unless something takes time. */
export const quiet = () => {};

export function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}
