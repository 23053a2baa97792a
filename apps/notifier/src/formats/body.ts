import type { Webhook } from '@countersign/contracts';
import type { Notice } from '../notices/notice.js';
import { slackMessage } from './slack.js';

/** What is sent. @param notice as it stands in the outbox */
export const bodyFor = ({ format }: Pick<Webhook, 'format'>, notice: string): string =>
  (format === 'slack' ? JSON.stringify(slackMessage(JSON.parse(notice) as Notice)) : notice);
