import type { EventView } from '@countersign/contracts/http';
import { bold, dim, oneLine } from './terminal.js';

interface Facts { readonly itemId: string; readonly decision?: string; readonly decidedBy?: string; readonly outcome?: string; readonly absent?: string; readonly principal?: string }

/** One event of a plan in one or a few lines: who wrote it, when, and each item's fact. */
export function renderEvent(event: EventView): string {
  const head = `${bold(`#${event.sequence}`)} ${event.type}  ${dim(`by ${event.author} at ${event.time}, revision ${event.rev}`)}`;
  return [head, ...factsOf(event.data).map((fact) => `    ${fact}`)].join('\n');
}

function factsOf(data: unknown): string[] {
  const body = data as Record<string, unknown>;
  const lists = ['items', 'answers', 'attempts', 'outcomes'].flatMap((name) => (Array.isArray(body[name]) ? (body[name] as unknown[]) : []));
  return lists.map((fact) => (typeof fact === 'string' ? oneLine(fact) : factLine(fact as Facts)));
}

function factLine(fact: Facts): string {
  const words = [fact.itemId, fact.decision, fact.outcome, fact.absent ? `no preview: ${fact.absent}` : undefined];
  const by = fact.decidedBy ?? (fact.principal ? `person:${fact.principal}` : undefined);
  return oneLine([...words.filter((word) => word !== undefined), ...(by ? [`by ${by}`] : [])].join('  '), 160);
}
