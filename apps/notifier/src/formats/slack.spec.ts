import type { Notice, NoticeItem } from '../notices/notice.js';
import { bodyFor } from './body.js';

const item = (change: Partial<NoticeItem> = {}): NoticeItem => ({ itemId: 'i1', provider: 'files', operation: 'write', risk: 'moderate', decidedBy: 'policy:notes', itemDigest: 'd', links: { item: 'https://gate.example/v1/plans/p/items/i1' }, ...change });
const notice = (change: Partial<Notice['data']> = {}, type: Notice['type'] = 'approval.asked'): Notice => ({
  type, timestamp: '2026-03-01T10:00:00.000Z', data: { tenant: 'acme', session: 's1', plan: 'p1', links: { plan: 'https://gate.example/v1/plans/p' }, items: [item()], ...change },
});
interface Message { readonly text: string; readonly blocks: { readonly type: string; readonly text: { readonly type: string; readonly text: string } }[] }
const slack = (one: Notice): Message => JSON.parse(bodyFor({ format: 'slack' }, JSON.stringify(one))) as Message;

describe('a message for Slack', () => {
  it('has a text for where blocks are not shown, and blocks with links', () => {
    expect(slack(notice())).toEqual({
      text: 'Waiting for a decision: plan p1',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: '*Waiting for a decision*\nplan p1\n<https://gate.example/v1/plans/p|plan>' } },
        { type: 'section', text: { type: 'mrkdwn', text: '*i1*: `files/write` (moderate)\nask by policy:notes\n<https://gate.example/v1/plans/p/items/i1|item>' } },
      ],
    });
  });

  it.each(['<!channel>', '<@U123>', '<https://evil.example|gate>', '&lt;!here&gt; & <x>'])('mentions nobody and links nowhere because of %s', (text) => {
    const message = slack(notice({ items: [item({ operation: text, description: text, message: text, decidedBy: text })], detail: text }, 'session.tripped'));
    for (const { text: { text: shown } } of message.blocks) {
      expect(shown.replace(/<https:\/\/gate\.example\/[^|<>]*\|(plan|item)>/g, '')).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    }
  });

  it('is cut to what Slack takes, in no half of a character or link', () => {
    const message = slack(notice({ items: Array.from({ length: 100 }, (_, index) => item({ itemId: `i${index}`, message: '&'.repeat(3_000), description: '𝄞<'.repeat(1_000) })), itemsOmitted: 900 }));
    expect(message.blocks).toHaveLength(12);
    expect(message.blocks.at(-1)!.text.text).toBe('…and 990 more');
    for (const { text: { text } } of message.blocks) {
      expect(text.length).toBeLessThanOrEqual(3_000);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/&(?!amp;|lt;|gt;)/);
    }
  });

  it('says what came to a limit, and until when', () => {
    const { blocks } = slack(notice({ plan: undefined, cause: 'circuit_breaker', detail: '5 denials in a row', endsAt: '2026-03-01T10:05:00.000Z', items: [] }, 'session.tripped'));
    expect(blocks[0]!.text.text).toContain('session s1\n5 denials in a row\nIt ends with its next plan, or at 2026-03-01T10:05:00.000Z');
  });
});

describe('the standard format', () => {
  it('is the notice as it stands in the outbox, byte for byte', () => {
    const text = JSON.stringify(notice());
    expect(bodyFor({ format: 'standard' }, text)).toBe(text);
  });
});
