import { parseEventSubject } from '@countersign/contracts';
import type { Webhooks } from './webhooks.js';

/** What is of a tenant without webhooks is nothing to the notifier; its events are not even read. */
export const skipping = (webhooks: Webhooks) => async (subject: string): Promise<boolean> => {
  const tenant = parseEventSubject(subject)?.key.tenant;
  return tenant !== undefined && (await webhooks.of(tenant)).webhooks.size === 0;
};
