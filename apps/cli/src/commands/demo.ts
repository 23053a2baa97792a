import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { CountersignClient } from '@countersign/sdk';
import { answerInTerminal, automaticAnswer } from '../demo/answers.js';
import { runDemo } from '../demo/demo.js';
import { stateFolder } from '../local-state.js';
import type { Shell } from '../shell.js';

export function demoCommand(program: Command, shell: Shell): void {
  program.command('demo').description('an agent, a real MCP server on a scratch folder, and you as the operator')
    .option('--yes', 'answer by itself: approve the first turn’s writes, reject the second turn’s')
    .action(async (options: { yes?: true }) => {
      const { url, local } = shell.connection();
      const operator = shell.client();
      const agent = local ? new CountersignClient({ url, apiKey: local.demo.agentKey }) : operator;
      const result = await runDemo({
        agent,
        operator,
        stateFolder: stateFolder(shell.root),
        answer: options.yes ? automaticAnswer : answerInTerminal,
        say: shell.json ? () => undefined : shell.say,
        run: `${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`,
      });
      shell.print(result, () => ['Look again, or step through the events:', ...result.planIds.flatMap((id) => [`  npx countersign plan show ${id}`, `  npx countersign plan replay ${id}`])].join('\n'));
    });
}
