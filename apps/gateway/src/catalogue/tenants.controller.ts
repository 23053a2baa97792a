import { randomBytes } from 'node:crypto';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import { TenantRequest, TenantView } from '@countersign/contracts/http';
import { keyIdFrom, makeApiKey } from '../auth/api-key.js';
import { FromOperator, operatorContext } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import type { Trace } from '../edge/correlation.js';
import { Commanding } from '../edge/commanding.js';

@ApiTags('tenants')
@ApiBearerAuth()
@Controller('v1/tenants')
export class TenantsController {
  constructor(private readonly commanding: Commanding) {}

  /** Operator only. The answer holds the tenant's first key, which is shown this once. */
  @Post()
  @ApiCreatedResponse({ type: TenantView })
  async register(@FromOperator() trace: Trace, @Body(new BodyOf(TenantRequest)) body: TenantRequest): Promise<TenantView> {
    const { tenantId, name, localProcesses = false, principal = 'admin', roles = ['admin'] } = body;
    const key = makeApiKey(tenantId, keyIdFrom(randomBytes(16).toString('hex')), { principal, roles });
    await this.commanding.callAs('planner.register-tenant', { name, localProcesses, keys: [key.record], at: this.commanding.now() }, operatorContext(tenantId, trace));
    return { tenantId, name, localProcesses, key: { keyId: key.record.keyId, principal, roles: [...key.record.roles], key: key.text } };
  }
}
