import type { Command } from 'commander';
import type { Role } from '@countersign/contracts';
import type { ProviderView } from '@countersign/contracts/http';
import { oneLine, table } from '../render/terminal.js';
import type { Shell } from '../shell.js';

export function providerCommands(program: Command, shell: Shell): void {
  const provider = program.command('provider').description('tool servers behind the gate');

  provider.command('add <name> <command> [args...]').description('an MCP server over stdio; put -- before a command with options of its own')
    .option('--adapter <adapter>', 'preview adapter: files')
    .option('--env <names...>', 'names of environment variables of the executor to hand through')
    .option('--cwd <folder>', 'working directory of the server')
    .action(async (name: string, command: string, args: string[], options: { adapter?: 'files'; env?: string[]; cwd?: string }) => {
      const view = await shell.client().registerProvider({ name, endpoint: { transport: 'mcp-stdio', command, args, ...options } });
      shell.print(view, () => renderProvider(view));
    });
  provider.command('list').description('all of them').action(async () => {
    const view = await shell.client().providers();
    shell.print(view, () => table(view.providers.map((one) => [one.name, `version ${one.version}`, `${one.operations.length} operations`, one.endpoint.transport])));
  });
  provider.command('show <name>').description('its operations').action(async (name: string) => {
    const view = await shell.client().provider(name);
    shell.print(view, () => renderProvider(view));
  });
  provider.command('remove <name>').description('open plans keep their snapshot').action(async (name: string) => {
    await shell.client().removeProvider(name);
    shell.print({ removed: name }, () => `${name} is removed`);
  });
}

const renderProvider = (view: ProviderView): string => [
  `${view.name}  version ${view.version}, ${view.endpoint.transport}`,
  table(view.operations.map((operation) => [`  ${oneLine(operation.name, 200)}`, operation.kind, operation.risk, oneLine(operation.description, 70)])),
].join('\n');

export function sessionCommands(program: Command, shell: Shell): void {
  const session = program.command('session').description('an agent’s sessions');
  session.command('open <agent>').option('--profile <profile>', 'policy profile').action(async (agent: string, options: { profile?: string }) => {
    const view = await shell.client().openSession({ agent, profile: options.profile });
    shell.print(view, () => view.sessionId);
  });
  session.command('tools <session>').description('what the session may call').action(async (id: string) => {
    const view = await shell.client().tools(id);
    shell.print(view, () => table(view.tools.map((tool) => [`${tool.provider}/${oneLine(tool.operation, 200)}`, tool.kind, tool.risk])));
  });
  session.command('end <session>').option('--reason <text>').action(async (id: string, options: { reason?: string }) => {
    const view = await shell.client().endSession(id, options.reason);
    shell.print(view, () => `${id} has ended`);
  });
}

export function keyCommands(program: Command, shell: Shell): void {
  const key = program.command('key').description('API keys of this tenant');
  key.command('issue <principal> <roles...>').description('roles: proposer worker approver author admin auditor')
    .action(async (principal: string, roles: Role[]) => {
      const view = await shell.client().issueKey({ principal, roles });
      shell.print(view, () => `${view.key}\n(shown once)`);
    });
  key.command('list').action(async () => {
    const view = await shell.client().keys();
    shell.print(view, () => table(view.keys.map((one) => [one.keyId, one.principal, one.roles.join(',')])));
  });
  key.command('revoke <keyId>').action(async (keyId: string) => {
    await shell.client().revokeKey(keyId);
    shell.print({ revoked: keyId }, () => `${keyId} is revoked`);
  });
}
