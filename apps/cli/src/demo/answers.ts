import { createInterface } from 'node:readline/promises';
import type { PlanItemView } from '@countersign/contracts/http';
import { oneLine } from '../render/terminal.js';
import type { Answer } from './demo.js';

/** Without a person: yes to what adds, no to what empties a file, so that both ways are seen. */
export async function automaticAnswer(item: PlanItemView): Promise<Answer> {
  const content = (item.input as { content?: string } | undefined)?.content;
  return content === '' ? { decision: 'reject', reason: 'Keep the release notes; add to them instead.' } : { decision: 'approve' };
}

/** Asks in the terminal until the answer is one. An ended input is a rejection: silence approves nothing. */
export async function answerInTerminal(item: PlanItemView): Promise<Answer> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('n')));
  try {
    for (;;) {
      const said = (await Promise.race([terminal.question(`Approve ${item.itemId} (${oneLine(item.operation)}), this one call? [y]es / [n]o / no, because …: `), ended])).trim();
      if (/^y(es)?$/i.test(said)) return { decision: 'approve' };
      if (/^no?$/i.test(said)) return { decision: 'reject' };
      const reason = /^no?[, ]+(?:because )?(.+)$/i.exec(said)?.[1];
      if (reason) return { decision: 'reject', reason };
    }
  } finally {
    terminal.close();
  }
}
