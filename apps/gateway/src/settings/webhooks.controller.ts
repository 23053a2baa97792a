import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { WEBHOOK_EVENTS, tenantKey } from '@countersign/contracts';
import { NewWebhookView, WebhookListView, WebhookRequest } from '@countersign/contracts/http';
import { Aggregates } from '../catalogue/aggregates.js';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { requireId } from '../edge/ids.js';
import { EndpointSecrets } from './endpoint-secrets.js';

@ApiTags('settings')
@ApiBearerAuth()
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly commanding: Commanding, private readonly aggregates: Aggregates, private readonly secrets: EndpointSecrets) {}

  /** The same name again replaces it, and gets another secret. */
  @Post()
  @ApiCreatedResponse({ type: NewWebhookView })
  async register(@FromCaller() asked: Asked, @Body(new BodyOf(WebhookRequest)) body: WebhookRequest): Promise<NewWebhookView> {
    const { tenant } = asked.caller;
    this.secrets.requireKey();
    const webhook = { name: body.name, url: body.url, events: body.events ?? WEBHOOK_EVENTS, format: body.format ?? 'standard' } as const;
    const { version } = await this.commanding.call('planner.register-webhook', { webhook, at: this.commanding.now() }, asked);
    return { ...webhook, secretVersion: version!, secret: this.secrets.of({ tenant, kind: 'webhook', name: body.name, version: version! }) };
  }

  @Get()
  @ApiOkResponse({ type: WebhookListView })
  async list(@FromCaller() asked: Asked): Promise<WebhookListView> {
    const { state } = await this.aggregates.tenants.fresh(tenantKey(asked.caller.tenant));
    return { webhooks: [...state.webhooks.values()].map(({ name, url, events, format, secretVersion }) => ({ name, url, events, format, secretVersion })) };
  }

  @Delete(':name')
  @HttpCode(204)
  @ApiNoContentResponse()
  async remove(@FromCaller() asked: Asked, @Param('name') name: string): Promise<void> {
    await this.commanding.call('planner.remove-webhook', { name: requireId(name, 'webhook'), at: this.commanding.now() }, asked);
  }
}
