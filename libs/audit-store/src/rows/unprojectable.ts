/** Why an event cannot be projected. It stands in `quarantine.reason`. */
export type QuarantineReason =
  | 'subject_unreadable' | 'headers_unreadable' | 'type_unknown' | 'version_newer' | 'wrong_author' | 'wrong_aggregate'
  | 'not_utf8' | 'holds_nul' | 'unreadable' | 'shape_unknown' | 'too_long' | 'too_deep';

/** Thrown and caught inside the projection only: order goes on, the event goes to quarantine. */
export class Unprojectable extends Error {
  constructor(readonly reason: QuarantineReason, readonly detail: string) {
    super(`${reason}: ${detail}`);
  }
}
