import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { tenantKey, type TenantId } from '@countersign/contracts';
import { FreezeListView, FreezeRequest, FreezeView } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import { Aggregates } from '../catalogue/aggregates.js';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { creationHash } from '../edge/idempotency.js';
import { requireId } from '../edge/ids.js';
import { given } from '../edge/query.js';

@ApiTags('freeze')
@ApiBearerAuth()
@Controller('v1/freeze')
export class FreezeController {
  constructor(private readonly commanding: Commanding, private readonly aggregates: Aggregates) {}

  /** The emergency stop: from now on nothing of what it names is allowed or started. */
  @Post()
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiCreatedResponse({ type: FreezeView })
  async freeze(@FromCaller() asked: Asked, @Body(new BodyOf(FreezeRequest)) body: FreezeRequest): Promise<FreezeView> {
    const freezeId = `f${creationHash(asked.caller, 'freeze', asked.idempotencyKey).slice(0, 24)}`;
    await this.commanding.call('planner.freeze', { freezeId, target: given(body.target ?? {}), reason: body.reason, at: this.commanding.now() }, asked);
    const frozen = (await this.inForce(asked.caller.tenant)).find((one) => one.freezeId === freezeId);
    if (!frozen) throw new GateError('NOT_FOUND', `The freeze ${freezeId} was lifted again`);
    return frozen;
  }

  /** In force. */
  @Get()
  @ApiOkResponse({ type: FreezeListView })
  async list(@FromCaller() asked: Asked): Promise<FreezeListView> {
    return { freezes: await this.inForce(asked.caller.tenant) };
  }

  /** Lifts it. Where the tenant says so, whoever froze does not. */
  @Delete(':freezeId')
  @HttpCode(204)
  @ApiNoContentResponse()
  async lift(@FromCaller() asked: Asked, @Param('freezeId') freezeId: string): Promise<void> {
    await this.commanding.call('planner.unfreeze', { freezeId: requireId(freezeId, 'freeze'), at: this.commanding.now() }, asked);
  }

  private async inForce(tenant: TenantId): Promise<FreezeView[]> {
    const { state } = await this.aggregates.tenants.fresh(tenantKey(tenant));
    return [...state.freezes.values()].map(({ freezeId, target, by, reason, at }) => ({ freezeId, target, by, reason, at }));
  }
}
