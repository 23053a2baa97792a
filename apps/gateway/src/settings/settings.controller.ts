import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { tenantKey, type TenantId } from '@countersign/contracts';
import { SettingsBody, SettingsView } from '@countersign/contracts/http';
import { settingsOf } from '@countersign/domain-tenant';
import { Aggregates } from '../catalogue/aggregates.js';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';

@ApiTags('settings')
@ApiBearerAuth()
@Controller('v1/settings')
export class SettingsController {
  constructor(private readonly commanding: Commanding, private readonly aggregates: Aggregates) {}

  /** What holds: as an admin set it, else the defaults. */
  @Get()
  @ApiOkResponse({ type: SettingsView })
  one(@FromCaller() asked: Asked): Promise<SettingsView> {
    return this.view(asked.caller.tenant);
  }

  /** All of them at once. */
  @Put()
  @ApiOkResponse({ type: SettingsView })
  async change(@FromCaller() asked: Asked, @Body(new BodyOf(SettingsBody)) settings: SettingsBody): Promise<SettingsView> {
    await this.commanding.call('planner.change-settings', { settings, at: this.commanding.now() }, asked);
    return this.view(asked.caller.tenant);
  }

  private async view(tenant: TenantId): Promise<SettingsView> {
    const { state, position } = await this.aggregates.tenants.fresh(tenantKey(tenant));
    return { settings: settingsOf(state), sequence: position.sequence };
  }
}
