import { LIMITS } from '@countersign/contracts';
import { Budget } from './cel/budget.js';
import type { ConditionResult } from './cel/condition.js';
import { contextOf, type ConditionContext } from './cel/context.js';
import type { CompiledBundle } from './compile-bundle.js';
import type { CompiledRule } from './compile-rule.js';
import type { ItemFacts } from './facts.js';
import type { MatchValues } from './rule-tuple.js';

/** The rules against one item: its context is made at the first condition, and its conditions share one budget. */
export class RuleFinder {
  private readonly values: MatchValues;
  private context: ConditionContext | undefined;
  private budget: Budget | undefined;

  constructor(private readonly facts: ItemFacts) {
    const { name, provider, risk, kind } = facts.item;
    this.values = { tool_name: name, provider, risk, kind };
  }

  /** The most specific rule that matches. */
  winner({ index }: CompiledBundle): CompiledRule | undefined {
    return index.find(this.values, (rule) => this.matches(rule, this.conditionOf(rule)));
  }

  /** Every rule whose match fits, in the order in which they win, with what its condition came to. */
  *all({ index }: CompiledBundle): Generator<{ readonly rule: CompiledRule; readonly when?: ConditionResult; readonly matches: boolean }> {
    const fitting: CompiledRule[] = [];
    index.find(this.values, (rule) => {
      if (this.inProfile(rule)) fitting.push(rule);
      return false;
    });
    for (const rule of fitting) {
      const when = this.conditionOf(rule);
      yield { rule, ...(when === undefined ? {} : { when }), matches: this.matches(rule, when) };
    }
  }

  private conditionOf(rule: CompiledRule): ConditionResult | undefined {
    if (rule.condition === undefined || !this.inProfile(rule)) return undefined;
    return rule.condition.evaluate((this.context ??= contextOf(this.facts)), (this.budget ??= new Budget(LIMITS.celItemSteps)));
  }

  /** An error never allows. */
  private matches(rule: CompiledRule, when: ConditionResult | undefined): boolean {
    if (!this.inProfile(rule)) return false;
    return when === undefined || when === 'true' || (when === 'error' && rule.rule.action !== 'allow');
  }

  private inProfile({ rule: { profile } }: CompiledRule): boolean {
    return profile === undefined || profile === this.facts.session.profile;
  }
}
