import type { GrantNarrow, Json } from '@countersign/contracts';
import { hostOf, segmentsOf } from './narrow.js';

/** Programs that run whatever they are given: their name says nothing of what a call does. */
const RUNNERS: ReadonlySet<string> = new Set([
  'bash', 'sh', 'zsh', 'dash', 'ash', 'ksh', 'csh', 'tcsh', 'fish', 'cmd', 'cmd.exe', 'powershell', 'pwsh', 'sudo', 'doas', 'su', 'env', 'xargs', 'nohup', 'nice', 'timeout', 'time',
  'watch', 'parallel', 'exec', 'eval', 'command', 'ssh', 'docker', 'kubectl', 'npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'bun', 'deno', 'node', 'tsx', 'ts-node', 'python', 'python2', 'python3',
  'pipx', 'uvx', 'uv', 'ruby', 'perl', 'php', 'lua', 'awk', 'gawk', 'find', 'make', 'go', 'cargo', 'java', 'osascript', 'busybox', 'setsid', 'strace', 'script', 'chroot', 'unshare', 'nsenter',
]);
/** Operations that take a command line. */
const SHELL_OPERATIONS = /^(bash|sh|shell|zsh|powershell|pwsh|exec|execute|eval|terminal|run|run_?(command|code|script|shell|terminal|python)|(shell|bash|command)_?(exec|execute|run)?|execute_?(command|code|script|shell|python)|python|repl|ssh|sudo|npx)$/i;
const COMMAND_FIELDS = ['command', 'cmd', 'argv', 'args', 'commandLine', 'command_line', 'script', 'code', 'program', 'executable'] as const;
const PATH_FIELDS = /^(file_?)?path$|^(file|filename|dir|directory|folder|root|cwd|destination|target|source|(file|dir|directory|folder|source|destination|target|notebook|root)_?path)$/i;
const URL_FIELDS = /^(url|uri|href|endpoint|link|base_?url|target_?url)$/i;

export interface OfferFacts { readonly item: { readonly name: string }; readonly input: Json | undefined; readonly inputDigest: string }

/** Whether a grant for this operation would cover whatever its command line can do. */
export function runsAnything({ item, input }: OfferFacts): boolean {
  if (SHELL_OPERATIONS.test(item.name)) return true;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  return COMMAND_FIELDS.some((field) => Object.hasOwn(input, field) && startsARunner((input as Readonly<Record<string, Json>>)[field]!));
}

function startsARunner(command: Json): boolean {
  const first = Array.isArray(command) ? command[0] : command;
  if (typeof first !== 'string') return false;
  const words = first.trim().split(/\s+/).filter((word) => !/^[A-Za-z_]\w*=/.test(word));
  const program = words[0]?.replace(/^.*[/\\]/, '').toLowerCase() ?? '';
  return RUNNERS.has(program) || /^(python|node|ruby|perl|php)[\d.]+$/.test(program) || /[;&|`$<>\n]/.test(first);
}

/**
 * Conditions that a person is offered for a grant before the whole operation is, the narrowest first: this very input; then
 * the folder of a path, the host of a URL, where the input has such a member. For interpreters and wrappers the input alone.
 */
export function narrowOffers(facts: OfferFacts): GrantNarrow[] {
  const offers: GrantNarrow[] = [{ kind: 'exact_input', inputDigest: facts.inputDigest }];
  const { input } = facts;
  if (runsAnything(facts) || typeof input !== 'object' || input === null || Array.isArray(input)) return offers;
  for (const [name, value] of Object.entries(input)) {
    if (typeof value !== 'string') continue;
    const field = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const folder = PATH_FIELDS.test(name) ? folderOf(value) : undefined;
    if (folder !== undefined) offers.push({ kind: 'path_prefix', field, prefix: folder });
    const host = URL_FIELDS.test(name) ? hostOf(value) : undefined;
    if (host !== undefined) offers.push({ kind: 'host', field, host });
  }
  return offers;
}

/** The folder that a path stands in; none for a path at the top. */
function folderOf(path: string): string | undefined {
  const segments = segmentsOf(path);
  if (!segments || segments.length < 2) return undefined;
  return `${path.startsWith('/') ? '/' : ''}${segments.slice(0, -1).join('/')}`;
}
