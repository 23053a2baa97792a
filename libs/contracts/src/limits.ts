/** Every bound of the system, with its unit in its name. Change one here and nowhere else. */
export const LIMITS = {
  /** One HTTP request body. Larger: BODY_TOO_LARGE. */
  httpBodyBytes: 8 * 1024 * 1024,
  /** Until the last byte of a request is there. Longer: REQUEST_TOO_SLOW. */
  requestMs: 60_000,
  /** A connection on which nothing moves; longer than any answer is held back (`waitMs`, `sseKeepAliveMs`). */
  connectionIdleMs: 180_000,
  /** A body above this is a blob and not inline in its event. */
  inlineBodyBytes: 16 * 1024,
  /** All inline bodies of one event together; what does not fit becomes blobs, largest first. */
  inlineBodiesPerEventBytes: 120 * 1024,
  eventBytes: 256 * 1024,
  blobPartBytes: 512 * 1024,
  /** One input, preview, or document. */
  blobBytes: 8 * 1024 * 1024,
  planItems: 1_000,
  /** Of one body, named in a refusal; what comes behind them is not looked at. */
  fieldProblems: 20,
  /** Nesting of any JSON that comes in. */
  jsonDepth: 64,
  /** Of one HTTP request body: a megabyte of empty objects takes forty times the time and memory of a text of that length. */
  jsonValues: 400_000,
  /** Revisions of one aggregate; a direct get returns at most 1,024 messages. */
  aggregateRevisions: 1_000,
  callIdChars: 128,
  nameChars: 120,
  reasonChars: 2_000,
  descriptionChars: 8_192,
  providerOperations: 500,
  policyRules: 2_000,
  /** A bundle in canonical JSON. It stands in the log as a blob. */
  policyBundleBytes: 1024 * 1024,
  /** One condition. */
  celChars: 2_000,
  /** Nodes of one condition's syntax tree. */
  celNodes: 200,
  /** Comprehensions (`all`, `exists`, `map`, `filter`) inside one another. */
  celNesting: 2,
  /** Steps of one condition's evaluation; more is an error of the condition. */
  celSteps: 10_000,
  /**
   * Of one item, all its conditions together; what is not evaluated by then is an error of its condition. Counted and not
   * timed, so that judging again gives the same; a step takes at most about a microsecond.
   */
  celItemSteps: 25_000,
  /** Values in an input that conditions can look at; with more it is an error of theirs. */
  celInputValues: 100_000,
  /** Instructions of one compiled regular expression. */
  celPatternSize: 1_000,
  /** `over` of one rule. */
  policyOver: 20,
  policyProfiles: 60,
  /** Rules no longer in force whose first activation a tenant's policy still knows. */
  policyPublished: 10_000,
  /** Approver roles or groups of one rule. */
  policyRoles: 10,
  quorum: 10,
  askExpiryMaxMs: 30 * 24 * 3_600_000,
  correctionsPerItem: 5,
  /** Grants of one session; more: AGGREGATE_TOO_LONG. */
  sessionGrants: 200,
  /** Standing grants of one tenant in force. */
  standingGrants: 2_000,
  /** An `always` that its answer has not made good by then lapses. */
  reservationMs: 60_000,
  /** From a trip until the session ends by itself. */
  finalTurnMs: 5 * 60_000,
  /** Plans of a session that are looked at for denials and repetitions. */
  breakerPlans: 200,
  vetoSubscribers: 5,
  vetoDeadlineMs: 2_000,
  vetoDeadlineMaxMs: 10_000,
  /** Veto requests under way of one tenant in one process. */
  vetoInFlight: 16,
  vetoAnswerBytes: 64 * 1024,
  /** Inputs in one request to a subscriber, together; what does not fit is left out, and said to be. */
  vetoRequestBytes: 1024 * 1024,
  webhooks: 20,
  webhookTimeoutMs: 10_000,
  /** Deliveries under way to one webhook in one process. */
  webhookInFlight: 4,
  /** The same of one tenant, over all its webhooks. */
  webhookInFlightOfTenant: 16,
  /** A delivery that failed is tried again after a pause, which grows from this to `webhookLongestPauseMs` … */
  webhookFirstPauseMs: 2_000,
  webhookLongestPauseMs: 3_600_000,
  /** … and is a dead letter when it fails this long after what it tells of. */
  webhookRetriesMs: 12 * 3_600_000,
  /** Deliveries that wait for their turn or their next try at one webhook, in one process; more become dead letters. */
  webhookWaiting: 2_000,
  /** The same of one tenant, over all its webhooks. */
  webhookWaitingOfTenant: 5_000,
  /** What one message to a webhook says of its items, together; of what does not fit only the number is told. */
  webhookItemsBytes: 64 * 1024,
  /** Deliveries under way in one process, in equal shares among the tenants that have some. */
  outboxInFlight: 512,
  /** Deliveries that wait in one process, shared in the same way among those that come; what waited before stays. */
  outboxWaiting: 100_000,
  /** Consumer of OUTBOX: as `maxAckPending`. What waits anywhere counts: more than several processes may have waiting. */
  outboxMaxAckPending: 500_000,
  /** Consumer of OUTBOX: as `maxDeliver`, but waiting for a turn at a slow webhook costs deliveries as well. */
  outboxMaxDeliver: 10_000,
  outboxAgeMs: 7 * 24 * 3_600_000,
  approvalGroups: 20,
  freezes: 100,
  /** From an acknowledged freeze until nothing more is started. */
  freezeWithinMs: 1_000,
  /** "What would this have allowed". */
  grantPreviewMs: 30 * 24 * 3_600_000,
  grantPreviewItems: 10_000,
  /** Findings of one lint; what comes behind them is left out. */
  lintFindings: 200,
  /** Of reading one bundle's YAML; nothing else of its process runs meanwhile. */
  policyReadMs: 5_000,
  /** Longest `wait` of a long poll. */
  waitMs: 60_000,
  /** Of one tenant at one gateway process; more: TOO_MANY_REQUESTS. The bench's one tenant makes about 1,500 a second. */
  tenantChangesPerSecond: 5_000,
  tenantChangesBurst: 10_000,
  tenantProposalsInFlight: 1_000,
  /** While the audit is further behind than this, new proposals are TOO_MANY_REQUESTS. */
  auditLagMs: 10_000,
  commandTimeoutMs: 5_000,
  /** A command that keeps losing its race gives up after this with BUSY. */
  contentionMs: 2_000,
  /** What one writer collects before it appends once. */
  groupItems: 64,
  groupMs: 5,
  previewTimeoutMs: 5_000,
  /** After `previewTimeoutMs` plus this, policy judges without the preview. */
  previewGraceMs: 1_000,
  /** How long previews that are ready wait for the others of their plan before they are appended. */
  previewGroupMs: 100,
  previewBytes: 1024 * 1024,
  previewDepth: 16,
  /** Without a verdict for this long, planner closes what is pending. */
  verdictMs: 60_000,
  askExpiryMs: 30 * 60_000,
  /** An allow that was said longer ago (by a person's answer, else by the verdict) is not applied any more. */
  verdictGoodForMs: 60 * 60_000,
  /** Default deadline of one provider call. */
  applyTimeoutMs: 60_000,
  describeTimeoutMs: 15_000,
  /** Calls that run beside a lost one in the same server process have this long before the process is killed. */
  retiredServerMs: 5_000,
  /** What is kept and shown of a result. */
  resultBytes: 4 * 1024 * 1024,
  /** Of a result in the tool_result text given to the model. */
  toolResultChars: 64 * 1024,
  providerConcurrency: 16,
  /** A connection (and its server's process) unused for this long is given up. */
  providerIdleMs: 5 * 60_000,
  /** Consumer: time without an ack or in-progress before a message is delivered again. */
  ackWaitMs: 10_000,
  /** Consumer: deliveries before a message becomes a dead letter. */
  maxDeliver: 20,
  maxAckPending: 20_000,
  resultsAgeMs: 7 * 24 * 3_600_000,
  /** Of one kind of aggregate in one process; what is older is loaded again. */
  foldCacheEntries: 1_000,
  idempotencyKeyChars: 128,
  pageItems: 200,
  sseBufferedEvents: 10_000,
  /** An event stream says at least this often that it lives, and looks whether it missed something. */
  sseKeepAliveMs: 15_000,
  /** A reader that takes nothing for this long is cut off; its cursor lets it go on. */
  sseStalledMs: 30_000,
  /** Bodies in one view of a plan; what is beyond is shown by digest, and whole on the item's own route. */
  viewBytes: 16 * 1024 * 1024,
  /** How long the edge relies on a tenant's keys without asking the log's leader. */
  keyCacheMs: 1_000,
  shutdownDrainMs: 10_000,
} as const;
