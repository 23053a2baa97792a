import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { tenantKey } from '@countersign/contracts';
import { IssuedKeyView, KeyListView, KeyRequest } from '@countersign/contracts/http';
import { issuedView, keyIdFrom, keyView, makeApiKey } from '../auth/api-key.js';
import { KeyRing } from '../auth/key-ring.js';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { creationHash } from '../edge/idempotency.js';
import { Aggregates } from './aggregates.js';

@ApiTags('keys')
@ApiBearerAuth()
@Controller('v1/keys')
export class KeysController {
  constructor(private readonly commanding: Commanding, private readonly aggregates: Aggregates, private readonly keys: KeyRing) {}

  /** The secret is in this answer only. With an `Idempotency-Key` a repetition never issues a second key: it is KEY_ALREADY_ISSUED. */
  @Post()
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiCreatedResponse({ type: IssuedKeyView })
  async issue(@FromCaller() asked: Asked, @Body(new BodyOf(KeyRequest)) body: KeyRequest): Promise<IssuedKeyView> {
    const { tenant } = asked.caller;
    const { text, record } = makeApiKey(tenant, keyIdFrom(creationHash(asked.caller, 'key', asked.idempotencyKey)), body);
    await this.commanding.call('planner.issue-key', { key: record, at: this.commanding.now() }, asked);
    this.keys.forget(tenant);
    return issuedView({ text, record });
  }

  /** Keys in force. */
  @Get()
  @ApiOkResponse({ type: KeyListView })
  async list(@FromCaller() asked: Asked): Promise<KeyListView> {
    const { state } = await this.aggregates.tenants.fresh(tenantKey(asked.caller.tenant));
    const inForce = [...state.keys.values()].filter((key) => !key.revokedAt);
    return { keys: inForce.map(({ record }) => keyView(record)) };
  }

  @Delete(':keyId')
  @HttpCode(204)
  @ApiNoContentResponse()
  async revoke(@FromCaller() asked: Asked, @Param('keyId') keyId: string): Promise<void> {
    await this.commanding.call('planner.revoke-key', { keyId, at: this.commanding.now() }, asked);
    this.keys.forget(asked.caller.tenant);
  }
}
