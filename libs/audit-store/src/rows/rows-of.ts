import type { EventType } from '@countersign/contracts';
import { sha256 } from '@countersign/kernel';
import type { StoredEventRaw } from '../raw-event.js';
import { envelopeText, readEnvelope, type Envelope } from './envelope.js';
import { itemCorrected, itemsAnswered, itemsVoted } from './answer-rows.js';
import { applyStarted, evaluated, itemsExpired, outcomes, planClosed, previewed } from './plan-rows.js';
import { proposed } from './proposed-rows.js';
import { bodyText, readEvent, type ReadableEvent } from './readable.js';
import type { Facts, RowSink } from './row-sink.js';
import { sessionEnded, sessionGranted, sessionGrantRevoked, sessionLimitReached, sessionOpened } from './session-rows.js';
import { Unprojectable } from './unprojectable.js';

type RowsOf = (event: ReadableEvent, common: Facts, sink: RowSink) => void;

/** Catalogue facts are read from `event_log`; they have no rows of their own. */
const inEventLogOnly: RowsOf = () => undefined;

const ROWS_OF: Readonly<Record<EventType, RowsOf>> = {
  'plan.Proposed': proposed,
  'plan.Previewed': previewed,
  'plan.Evaluated': evaluated,
  'plan.ItemsAnswered': itemsAnswered,
  'plan.ItemsVoted': itemsVoted,
  'plan.ItemCorrected': itemCorrected,
  'plan.ItemsExpired': itemsExpired,
  'plan.ApplyStarted': applyStarted,
  'plan.Outcomes': outcomes,
  'plan.Closed': planClosed,
  'session.Opened': sessionOpened,
  'session.Granted': sessionGranted,
  'session.GrantRevoked': sessionGrantRevoked,
  'session.LimitReached': sessionLimitReached,
  'session.Ended': sessionEnded,
  'tenant.Registered': inEventLogOnly,
  'tenant.KeyIssued': inEventLogOnly,
  'tenant.KeyRevoked': inEventLogOnly,
  'provider.Registered': inEventLogOnly,
  'provider.Removed': inEventLogOnly,
  'tenant.SettingsChanged': inEventLogOnly,
  'tenant.SubscriberRegistered': inEventLogOnly,
  'tenant.SubscriberRemoved': inEventLogOnly,
  'tenant.WebhookRegistered': inEventLogOnly,
  'tenant.WebhookRemoved': inEventLogOnly,
  'tenant.Frozen': inEventLogOnly,
  'tenant.Unfrozen': inEventLogOnly,
  'policy.BundlePushed': inEventLogOnly,
  'policy.BundleActivated': inEventLogOnly,
  'policy.ShadowChosen': inEventLogOnly,
  'grant.Reserved': inEventLogOnly,
  'grant.Activated': inEventLogOnly,
  'grant.Revoked': inEventLogOnly,
};

/**
 * All rows of one message, a pure function of it: the same message gives the same rows whenever it is projected,
 * which is what a rebuild proves. Never throws for what a message holds.
 * @returns the time whose month the rows stand in, and why it is quarantined if it is
 */
export function addRowsOf(message: StoredEventRaw, sink: RowSink): { readonly time: string; readonly quarantined?: Unprojectable } {
  const envelope = readEnvelope(message);
  let body: string | null = null;
  let quarantined: Unprojectable | undefined;
  const mark = sink.mark();
  try {
    body = bodyText(message.body);
    const event = readEvent(envelope, message);
    ROWS_OF[event.type](event, commonFacts(event), sink);
  } catch (error) {
    if (!(error instanceof Unprojectable)) throw error;
    quarantined = error;
    sink.backTo(mark);
    sink.add('quarantine', quarantineFacts(message, envelope, error));
  }
  sink.add('event_log', eventFacts(message, envelope, body));
  return quarantined ? { time: envelope.time, quarantined } : { time: envelope.time };
}

/** What every row of an event has; tables take of it what they have columns for. */
const commonFacts = (event: ReadableEvent): Facts => ({
  tenant: event.subject.key.tenant,
  sequence: event.sequence,
  event_time: event.time,
  session: event.subject.key.session,
  plan_id: event.subject.key.id,
});

function eventFacts(message: StoredEventRaw, envelope: Envelope, body: string | null): Facts {
  return {
    stream: message.stream,
    sequence: message.sequence,
    event_time: envelope.time,
    tenant: envelope.subject?.key.tenant ?? null,
    subject: envelope.subjectText,
    session: envelope.subject?.key.session ?? null,
    aggregate: envelope.subject?.key.aggregate ?? null,
    aggregate_id: envelope.subject?.key.id ?? null,
    author: envelope.subject?.author ?? null,
    rev: envelope.subject?.rev ?? null,
    type: envelope.type,
    version: envelope.version,
    event_id: envelope.id,
    source: envelope.source,
    actor: envelope.actor,
    correlation_id: envelope.correlationId,
    causation_id: envelope.causationId,
    traceparent: envelope.traceparent,
    other_headers: envelope.otherHeaders,
    body,
    body_digest: sha256(message.body),
  };
}

function quarantineFacts(message: StoredEventRaw, envelope: Envelope, error: Unprojectable): Facts {
  return {
    stream: message.stream,
    sequence: message.sequence,
    tenant: envelope.subject?.key.tenant ?? null,
    reason: error.reason,
    detail: error.detail.toWellFormed().replaceAll('\0', '�'),
    envelope: envelopeText(message),
    body: message.body,
  };
}
