import { randomBytes } from 'node:crypto';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import { LIMITS, TENANT_ID_PATTERN } from '@countersign/contracts';
import { IssuedKeyView, TenantKeyRequest, TenantRequest, TenantView } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import { issuedView, keyIdFrom, makeApiKey, type NewKey } from '../auth/api-key.js';
import { KeyRing } from '../auth/key-ring.js';
import { FromOperator, operatorContext } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import type { Trace } from '../edge/correlation.js';
import { Commanding } from '../edge/commanding.js';

@ApiTags('tenants')
@ApiBearerAuth()
@Controller('v1/tenants')
export class TenantsController {
  constructor(private readonly commanding: Commanding, private readonly keys: KeyRing) {}

  /** Operator only. The answer holds the tenant's first key, which is shown this once. */
  @Post()
  @ApiCreatedResponse({ type: TenantView })
  async register(@FromOperator() trace: Trace, @Body(new BodyOf(TenantRequest)) body: TenantRequest): Promise<TenantView> {
    const { tenantId, name, localProcesses = false } = body;
    const key = newKey(tenantId, body);
    await this.commanding.callAs('planner.register-tenant', { name, localProcesses, keys: [key.record], at: this.commanding.now() }, operatorContext(tenantId, trace));
    return { tenantId, name, localProcesses, key: issuedView(key) };
  }

  /** Operator only, for a tenant whose keys are lost. Keys that were issued before hold on until they are revoked. */
  @Post(':tenantId/keys')
  @ApiBody({ type: TenantKeyRequest, required: false })
  @ApiCreatedResponse({ type: IssuedKeyView })
  async issueKey(
    @FromOperator() trace: Trace, @Param('tenantId') tenantId: string, @Body(new BodyOf(TenantKeyRequest, { optional: true })) body: TenantKeyRequest,
  ): Promise<IssuedKeyView> {
    if (!TENANT_ID_PATTERN.test(tenantId)) throw new GateError('NOT_FOUND', `There is no tenant ${tenantId.slice(0, LIMITS.nameChars)}`);
    const key = newKey(tenantId, body);
    await this.commanding.callAs('planner.issue-key', { key: key.record, at: this.commanding.now() }, operatorContext(tenantId, trace));
    this.keys.forget(tenantId);
    return issuedView(key);
  }
}

const newKey = (tenantId: string, { principal = 'admin', roles = ['admin'], groups }: TenantKeyRequest): NewKey =>
  makeApiKey(tenantId, keyIdFrom(randomBytes(16).toString('hex')), { principal, roles, ...(groups ? { groups } : {}) });
