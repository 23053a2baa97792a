import { LIMITS } from '@countersign/contracts';
import { RE2JS } from 're2js';
import { spend } from './budget.js';

/** Instructions tried on characters in about a microsecond. */
const TRIED_IN_A_STEP = 16;

/**
 * A regular expression with RE2's semantics: its time is linear in the text, whatever the pattern, and is paid for in steps.
 * @throws Error in words, for a pattern that is not one or is too large
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern);
  const size = compiled.programSize();
  if (size > LIMITS.celPatternSize) throw new Error(`the regular expression has ${size} instructions; at most ${LIMITS.celPatternSize}`);
  return (text) => {
    spend(Math.ceil((text.length * size) / TRIED_IN_A_STEP));
    return compiled.test(text);
  };
}
