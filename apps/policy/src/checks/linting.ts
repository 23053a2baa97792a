import { LIMITS, type LintBundle, type LintReport } from '@countersign/contracts';
import { lintText } from '@countersign/policy-engine';
import { withinTime } from '@countersign/providers';

/** What an author should know of a bundle's text, bounded in time: judging waits meanwhile. */
export function lintWithinTime({ layer, text }: LintBundle): LintReport {
  const read = withinTime(LIMITS.policyReadMs, () => lintText(text, { layer }));
  return 'overdue' in read ? tooSlow() : read.done;
}

const tooSlow = (): LintReport => ({
  rules: 0,
  findings: [{
    severity: 'error', code: 'unreadable', line: 1, column: 1,
    message: `The bundle cannot be read: it takes more than ${LIMITS.policyReadMs} ms`, suggestion: 'Write it plainly: fewer levels, shorter scalars, or several smaller rules.',
  }],
});
