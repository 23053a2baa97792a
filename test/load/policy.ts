import type { PolicyRule } from '@countersign/contracts';
import { compileBundle, evaluate, type JudgedCall } from '@countersign/policy-engine';

const RULES = 100;
const ROUND = 100_000;

/** Items a second of one core against 100 rules of different fields, the best of ten rounds after a warm-up. */
export function policyItemsPerSecond(): number {
  const compiled = compileBundle({ rules: Array.from({ length: RULES }, (_, index): PolicyRule => ({ id: `r${index}`, action: 'allow', match: matchOf(index) })) });
  const calls = Array.from({ length: 1_000 }, (_, index): JudgedCall => ({ kind: 'resource', provider: `p${index % 150}`, name: `op${index % 170}`, risk: index % 2 ? 'high' : 'low' }));
  const round = (): number => {
    const started = performance.now();
    let found = 0;
    for (let judged = 0; judged < ROUND; judged += 1) if (evaluate(compiled, calls[judged % calls.length]!).rule) found += 1;
    if (found === 0) throw new Error('no rule ever matched: this measures nothing');
    return (ROUND * 1_000) / (performance.now() - started);
  };
  round();
  return Math.max(...Array.from({ length: 10 }, round));
}

function matchOf(index: number): PolicyRule['match'] {
  if (index % 3 === 0) return { tool_name: `op${index}` };
  if (index % 3 === 1) return { provider: `p${index}`, risk: 'high' };
  return { tool_name: `op${index}`, provider: `p${index}`, kind: 'resource' };
}
