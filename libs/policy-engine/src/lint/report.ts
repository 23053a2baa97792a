import { LIMITS, type LintCode, type LintFinding } from '@countersign/contracts';
import type { TextPlaces } from './text-places.js';

interface About { readonly rules?: readonly string[]; readonly key?: true; readonly offset?: number }

/** Collects findings with their places, up to `LIMITS.lintFindings`. */
export class Report {
  private readonly found: LintFinding[] = [];

  constructor(private readonly places: TextPlaces) {}

  get size(): number {
    return this.found.length;
  }

  get full(): boolean {
    return this.found.length >= LIMITS.lintFindings;
  }

  error(code: LintCode, path: string, message: string, suggestion: string, about: About = {}): void {
    this.add('error', code, path, message, suggestion, about);
  }

  warning(code: LintCode, path: string, message: string, suggestion: string, about: About = {}): void {
    this.add('warning', code, path, message, suggestion, about);
  }

  /** In the order of the text; at one place errors first. */
  findings(): LintFinding[] {
    return [...this.found].sort((a, b) => a.line - b.line || a.column - b.column || a.severity.localeCompare(b.severity));
  }

  private add(severity: LintFinding['severity'], code: LintCode, path: string, message: string, suggestion: string, { rules, key, offset }: About): void {
    if (this.full) return;
    const place = offset === undefined ? this.places.of(path, key) : this.places.at(offset);
    this.found.push({ severity, code, message, suggestion, ...place, ...(rules ? { rules } : {}), ...(path === '' ? {} : { path }) });
  }
}
