import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { PolicyLayer } from '@countersign/contracts';
import type { ExplainedView, PolicyView, SimulateRequest } from '@countersign/contracts/http';
import { oneLine, table } from '../render/terminal.js';
import type { Shell } from '../shell.js';
import { lintFiles } from '../policy/lint-files.js';
import { testFiles } from '../policy/test-files.js';

interface Layered { readonly guardrails?: true }
const layerOf = ({ guardrails }: Layered): PolicyLayer => (guardrails ? 'guardrails' : 'rules');
const GUARDRAILS = ['--guardrails', 'of the guardrails, which only an admin changes, instead of the rules'] as const;

/** The life of a bundle: checked and tested without a gate, then kept, tried, put in force and taken back in one. */
export function policyCommands(program: Command, shell: Shell): void {
  const policy = program.command('policy').description('the rules that judge every item');

  policy.command('lint <files...>').description('what an author should know of bundles, with line, column and a way out; needs no gate').option(...GUARDRAILS)
    .action((files: string[], options: Layered) => lintFiles(shell, files, layerOf(options)));
  policy.command('test <files...>').description('run case files: input, expected verdict, rule, audit entry; needs no gate')
    .action((files: string[]) => testFiles(shell, files));

  policy.command('show').description('the bundle in force').option(...GUARDRAILS).option('--version <version>', 'an earlier one', Number)
    .action(async (options: Layered & { version?: number }) => {
      const client = shell.client();
      const view = options.version === undefined ? await client.policy(layerOf(options)) : await client.policyVersion(options.version, layerOf(options));
      shell.print(view, () => renderBundle(view));
    });
  policy.command('keep <file>').description('keep a bundle under its digest, without effect').option(...GUARDRAILS).action(async (file: string, options: Layered) => {
    const view = await shell.client().pushPolicy(await readFile(file, 'utf8'), layerOf(options));
    shell.print(view, () => [`kept, digest ${view.digest}`, ...warned(view.warnings)].join('\n'));
  });
  policy.command('push <file>').alias('activate').description('put a bundle in force (YAML or JSON), whole or not at all').option(...GUARDRAILS)
    .action(async (file: string, options: Layered) => {
      const view = await shell.client().activatePolicy(await readFile(file, 'utf8'), layerOf(options));
      shell.print(view, () => inForce(view));
    });
  policy.command('history').description('every version, newest first').option(...GUARDRAILS).action(async (options: Layered) => {
    const view = await shell.client().policyHistory(layerOf(options));
    shell.print(view, () => (view.versions.length === 0
      ? 'None was ever activated: the defaults hold.'
      : table(view.versions.map((one) => [`version ${one.version}`, one.digest, one.activatedAt, `by ${oneLine(one.activatedBy)}`, one.rolledBackTo === undefined ? '' : `back to ${one.rolledBackTo}`]))));
  });
  policy.command('diff <from> <to>').description('what differs between two versions; 0 is before the first').option(...GUARDRAILS)
    .action(async (from: string, to: string, options: Layered) => {
      const view = await shell.client().policyDiff(Number(from), Number(to), layerOf(options));
      shell.print(view, () => oneLineEach(view));
    });
  policy.command('rollback [version]').description('put an earlier version in force again, as a new one; by itself the one before').option(...GUARDRAILS)
    .action(async (version: string | undefined, options: Layered) => {
      const view = await shell.client().rollBackPolicy({ ...(version === undefined ? {} : { version: Number(version) }), layer: layerOf(options) });
      shell.print(view, () => inForce(view));
    });
  shadowCommands(policy, shell);
  questionCommands(policy, shell);
}

function shadowCommands(policy: Command, shell: Shell): void {
  policy.command('shadow [file]').description('judge beside the rules in force and record it, without effect; by itself: what is the shadow').option('--none', 'none any more')
    .action(async (file: string | undefined, options: { none?: true }) => {
      const client = shell.client();
      const view = options.none ? await client.dropShadowPolicy() : file === undefined ? await client.shadowPolicy() : await client.chooseShadowPolicy(await readFile(file, 'utf8'));
      shell.print(view, () => (view.digest === undefined ? 'There is no shadow bundle.' : `The shadow bundle is ${view.digest}.`));
    });
}

interface SimulateOptions { readonly input?: string; readonly kind?: string; readonly risk?: string; readonly profile?: string; readonly agent?: string; readonly bundle?: string }

function questionCommands(policy: Command, shell: Shell): void {
  policy.command('simulate <provider> <operation>').description('what policy would say of a call that nobody made')
    .option('--input <json>', 'the arguments').option('--kind <kind>').option('--risk <risk>').option('--profile <profile>').option('--agent <agent>')
    .option('--bundle <file>', 'by this bundle (JSON) instead of the rules in force')
    .action(async (provider: string, operation: string, { input, bundle, ...more }: SimulateOptions) => {
      const call = { provider, operation, ...more, ...(input === undefined ? {} : { input: JSON.parse(input) as unknown }) };
      const given = bundle === undefined ? {} : { bundle: JSON.parse(await readFile(bundle, 'utf8')) as unknown };
      const view = await shell.client().simulate({ call, ...given } as SimulateRequest);
      shell.print(view, () => renderExplained(view));
    });
  policy.command('explain <plan> <item>').description('every rule that matched an item, in order, and why the winner won').action(async (plan: string, item: string) => {
    const view = await shell.client().explain(plan, item);
    shell.print(view, () => renderExplained(view));
  });
}

const warned = (warnings: readonly string[] = []): string[] => warnings.map((warning) => `warning: ${oneLine(warning, 400)}`);
const inForce = (view: PolicyView): string => [`version ${view.version} is in force, digest ${view.digest}`, ...warned(view.warnings)].join('\n');

const renderBundle = (view: PolicyView): string => [
  `version ${view.version}${view.digest ? `, digest ${view.digest}` : ' (the defaults: reads are allowed, writes are asked)'}`,
  table(view.rules.map((rule) => [`  ${rule.id}`, rule.action, oneLine(JSON.stringify(rule.match), 400), rule.when === undefined ? '' : `when ${oneLine(rule.when, 400)}`])),
].join('\n');

function renderExplained(view: ExplainedView): string {
  return [
    oneLine(view.why, 1_000),
    ...(view.message === undefined ? [] : [`message  "${oneLine(view.message, 400)}"`]),
    table(view.layers.map((one) => [`  layer ${one.layer}`, one.says, `by ${oneLine(one.by)}`])),
    table(view.matched.map((one) => [`  ${one.won ? '→' : ' '} ${one.layer}/${oneLine(one.rule)}`, one.action, one.when === undefined ? '' : `when: ${one.when}`, oneLine(one.rank, 300)])),
    `by version ${view.bundle.version}, digest ${view.bundle.digest}`,
  ].filter((part) => part !== '').join('\n');
}

/** A difference as the gate says it, member by member. */
const oneLineEach = (view: object): string => Object.entries(view)
  .flatMap(([name, value]) => (Array.isArray(value) ? value.map((one) => `${name}: ${oneLine(JSON.stringify(one), 2_000)}`) : [`${name}: ${oneLine(JSON.stringify(value), 2_000)}`])).join('\n');
