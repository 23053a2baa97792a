import { ApiProperty } from '@nestjs/swagger';
import { PROVIDER_NAME_PATTERN, SESSION_ID_PATTERN } from '../ids.js';
import { LIMITS } from '../limits.js';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type Freeze, type FreezeTarget, type TenantSettings, type WebhookEvent, type WebhookFormat } from '../tenant-settings.js';
import { Flag, Nested, OneOf, SomeOf, Text, Whole } from './fields.js';

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
const COUNT_MAX = 1_000;

export class BreakerBody {
  @Whole({ min: 0, max: COUNT_MAX, description: 'Denials in a row until a session has its final turn. 0: off' })
  consecutive!: number;

  @Whole({ min: 0, max: COUNT_MAX, description: 'Denials within the window. 0: off' })
  count!: number;

  @Whole({ min: 1_000, max: 24 * 3_600_000, description: 'Milliseconds' })
  windowMs!: number;
}

export class DoomLoopBody {
  @Whole({ min: 0, max: 100, description: 'The same call (operation and arguments) so often in a row. 0: off' })
  repeats!: number;

  @Whole({ min: 1, max: 200, description: 'Within the last so many calls' })
  within!: number;
}

/** Changed as a whole. */
export class SettingsBody implements TenantSettings {
  @Nested(() => BreakerBody)
  breaker!: BreakerBody;

  @Nested(() => DoomLoopBody)
  doomLoop!: DoomLoopBody;

  @Flag({ description: 'Whether sessions of mode `bypassPermissions` may be opened' })
  bypassPermissions!: boolean;

  @Flag({ description: 'Whether an answer of scope always may become a standing rule' })
  standingGrants!: boolean;

  @Flag({ description: 'Whoever froze does not lift it' })
  unfreezeBySecondPerson!: boolean;
}

export class SettingsView {
  @ApiProperty({ type: SettingsBody })
  settings!: TenantSettings;

  @ApiProperty({ description: 'Position in the log of the tenant’s last event' })
  sequence!: number;
}

export class SubscriberRequest {
  @Text({ max: 40, pattern: NAME })
  name!: string;

  @Text({ max: 2_048, description: 'https, at a public address; for a tenant with local processes also http at loopback' })
  url!: string;

  @Whole({ optional: true, min: 50, max: LIMITS.vetoDeadlineMaxMs, description: `No answer by then denies. Milliseconds; default ${LIMITS.vetoDeadlineMs}` })
  deadlineMs?: number;
}

export class SubscriberView {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  url!: string;

  @ApiProperty()
  deadlineMs!: number;

  @ApiProperty({ description: 'Rises when the secret is made anew' })
  secretVersion!: number;
}

/** The only answer that holds the secret. */
export class NewSubscriberView extends SubscriberView {
  @ApiProperty({ description: 'Signs the gate’s requests as Standard Webhooks says. Shown in this answer only', example: 'whsec_…' })
  secret!: string;
}

export class SubscriberListView {
  @ApiProperty({ type: [SubscriberView] })
  subscribers!: SubscriberView[];
}

export class WebhookRequest {
  @Text({ max: 40, pattern: NAME })
  name!: string;

  @Text({ max: 2_048, description: 'https, at a public address; for a tenant with local processes also http at loopback' })
  url!: string;

  @SomeOf(WEBHOOK_EVENTS, { optional: true, maxItems: WEBHOOK_EVENTS.length, description: 'Default: all' })
  events?: WebhookEvent[];

  @OneOf(WEBHOOK_FORMATS, { optional: true, description: 'standard (default): our JSON, signed as Standard Webhooks says. slack: a message that Slack’s incoming webhooks take' })
  format?: WebhookFormat;
}

export class WebhookView {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  url!: string;

  @ApiProperty({ enum: WEBHOOK_EVENTS, isArray: true })
  events!: readonly WebhookEvent[];

  @ApiProperty({ enum: WEBHOOK_FORMATS })
  format!: WebhookFormat;

  @ApiProperty({ description: 'Rises when the secret is made anew' })
  secretVersion!: number;
}

/** The only answer that holds the secret. */
export class NewWebhookView extends WebhookView {
  @ApiProperty({ description: 'Signs the deliveries as Standard Webhooks says. Shown in this answer only', example: 'whsec_…' })
  secret!: string;
}

export class WebhookListView {
  @ApiProperty({ type: [WebhookView] })
  webhooks!: WebhookView[];
}

/** Every field that is given must hold; none: the whole tenant. */
export class FreezeTargetBody implements FreezeTarget {
  @Text({ optional: true, max: 80, pattern: SESSION_ID_PATTERN })
  session?: string;

  @Text({ optional: true, max: LIMITS.nameChars })
  agent?: string;

  @Text({ optional: true, max: 40, pattern: PROVIDER_NAME_PATTERN })
  provider?: string;

  @Text({ optional: true, max: LIMITS.nameChars, description: 'With `provider`' })
  operation?: string;
}

export class FreezeRequest {
  @Nested(() => FreezeTargetBody, { optional: true, description: 'Absent: the whole tenant' })
  target?: FreezeTargetBody;

  @Text({ max: LIMITS.reasonChars, prose: true })
  reason!: string;
}

/** From then on no evaluation allows, and nothing is started, of what it names. */
export class FreezeView implements Freeze {
  @ApiProperty()
  freezeId!: string;

  @ApiProperty({ type: FreezeTargetBody })
  target!: FreezeTarget;

  @ApiProperty()
  by!: string;

  @ApiProperty()
  reason!: string;

  @ApiProperty({ format: 'date-time' })
  at!: string;
}

export class FreezeListView {
  @ApiProperty({ type: [FreezeView] })
  freezes!: FreezeView[];
}
