import type { SessionLimitReached, StoredEvent } from '@countersign/contracts';
import { cut, fitting } from './bounded.js';
import type { Links } from './links.js';
import { NOTICE_TYPE, type Notice } from './notice.js';

/** A session has come to its limit. */
export function tripNotice(event: Pick<StoredEvent, 'key' | 'time'>, { cause, detail, items, endsAt }: SessionLimitReached, links: Links): Notice {
  const { tenant, id: session } = event.key;
  const about = items.map(({ plan, itemId }) => ({ plan, itemId, links: links.item(plan, itemId) }));
  return {
    type: NOTICE_TYPE.tripped,
    timestamp: event.time,
    data: { tenant, session, links: links.session(session), cause, detail: cut(detail), endsAt, ...fitting(about) },
  };
}
