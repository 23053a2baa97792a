import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { LIMITS, tenantKey } from '@countersign/contracts';
import { NewSubscriberView, SubscriberListView, SubscriberRequest } from '@countersign/contracts/http';
import { Aggregates } from '../catalogue/aggregates.js';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { requireId } from '../edge/ids.js';
import { EndpointSecrets } from './endpoint-secrets.js';

@ApiTags('settings')
@ApiBearerAuth()
@Controller('v1/subscribers')
export class SubscribersController {
  constructor(private readonly commanding: Commanding, private readonly aggregates: Aggregates, private readonly secrets: EndpointSecrets) {}

  /** An external check that can veto. The same name again replaces it, and gets another secret. */
  @Post()
  @ApiCreatedResponse({ type: NewSubscriberView })
  async register(@FromCaller() asked: Asked, @Body(new BodyOf(SubscriberRequest)) body: SubscriberRequest): Promise<NewSubscriberView> {
    const { tenant } = asked.caller;
    this.secrets.requireKey();
    const subscriber = { name: body.name, url: body.url, deadlineMs: body.deadlineMs ?? LIMITS.vetoDeadlineMs };
    const { version } = await this.commanding.call('planner.register-subscriber', { subscriber, at: this.commanding.now() }, asked);
    return { ...subscriber, secretVersion: version!, secret: this.secrets.of({ tenant, kind: 'veto', name: body.name, version: version! }) };
  }

  @Get()
  @ApiOkResponse({ type: SubscriberListView })
  async list(@FromCaller() asked: Asked): Promise<SubscriberListView> {
    const { state } = await this.aggregates.tenants.fresh(tenantKey(asked.caller.tenant));
    return { subscribers: [...state.subscribers.values()].map(({ name, url, deadlineMs, secretVersion }) => ({ name, url, deadlineMs, secretVersion })) };
  }

  @Delete(':name')
  @HttpCode(204)
  @ApiNoContentResponse()
  async remove(@FromCaller() asked: Asked, @Param('name') name: string): Promise<void> {
    await this.commanding.call('planner.remove-subscriber', { name: requireId(name, 'subscriber'), at: this.commanding.now() }, asked);
  }
}
