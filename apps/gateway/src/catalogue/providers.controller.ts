import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { LIMITS, tenantKey, type ProviderEndpoint, type TenantId } from '@countersign/contracts';
import { ProviderListView, ProviderView, RegisterProviderRequest } from '@countersign/contracts/http';
import { runsLocally } from '@countersign/domain-provider';
import { mayStartProcesses } from '@countersign/domain-tenant';
import { GateError } from '@countersign/kernel';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { Aggregates } from './aggregates.js';
import { endpointFrom } from './endpoint.js';
import { ProviderReader } from './provider-reader.js';

/** The executor describes the provider within its own deadline; this is only the bound on its answer. */
const DESCRIBE_MS = LIMITS.describeTimeoutMs + LIMITS.commandTimeoutMs;

@ApiTags('providers')
@ApiBearerAuth()
@Controller('v1/providers')
export class ProvidersController {
  constructor(private readonly commanding: Commanding, private readonly providers: ProviderReader, private readonly aggregates: Aggregates) {}

  /** Asks the provider what it offers, then registers that. The same catalogue again changes nothing. */
  @Post()
  @ApiCreatedResponse({ type: ProviderView })
  async register(@FromCaller() asked: Asked, @Body(new BodyOf(RegisterProviderRequest)) body: RegisterProviderRequest): Promise<ProviderView> {
    const { tenant } = asked.caller;
    const endpoint = endpointFrom(body.endpoint);
    await this.refuseForbiddenProcess(tenant, endpoint);
    const { operations } = await this.commanding.call('executor.describe-provider', { endpoint }, asked, { timeoutMs: DESCRIBE_MS });
    const { sequence } = await this.commanding.call('planner.register-provider', { name: body.name, endpoint, operations, at: this.commanding.now() }, asked);
    return this.providers.view(tenant, body.name, sequence);
  }

  @Get()
  @ApiOkResponse({ type: ProviderListView })
  async list(@FromCaller() asked: Asked): Promise<ProviderListView> {
    return { providers: await this.providers.list(asked.caller.tenant) };
  }

  @Get(':name')
  @ApiOkResponse({ type: ProviderView })
  one(@FromCaller() asked: Asked, @Param('name') name: string): Promise<ProviderView> {
    return this.providers.view(asked.caller.tenant, name);
  }

  @Delete(':name')
  @HttpCode(204)
  @ApiNoContentResponse()
  async remove(@FromCaller() asked: Asked, @Param('name') name: string): Promise<void> {
    await this.providers.view(asked.caller.tenant, name);
    await this.commanding.call('planner.remove-provider', { name, at: this.commanding.now() }, asked);
  }

  /** Before the provider is described, since that would start the process already. Planner refuses it again. */
  private async refuseForbiddenProcess(tenant: TenantId, endpoint: ProviderEndpoint): Promise<void> {
    if (!runsLocally(endpoint)) return;
    const { state } = await this.aggregates.tenants.fresh(tenantKey(tenant));
    if (!mayStartProcesses(state)) throw new GateError('LOCAL_PROCESSES_FORBIDDEN');
  }
}
