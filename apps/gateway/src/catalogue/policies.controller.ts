import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { policyKey, type TenantId } from '@countersign/contracts';
import { PolicyRequest, PolicyView } from '@countersign/contracts/http';
import { bundleInForce } from '@countersign/domain-policy-bundle';
import { FromCaller, type Asked } from '../edge/asked.js';
import { Commanding } from '../edge/commanding.js';
import { Aggregates } from './aggregates.js';
import { bundleFrom } from './bundle-body.js';

@ApiTags('policies')
@ApiBearerAuth()
@Controller('v1/policies')
export class PoliciesController {
  constructor(private readonly commanding: Commanding, private readonly aggregates: Aggregates) {}

  /** The bundle in force. */
  @Get()
  @ApiOkResponse({ type: PolicyView })
  active(@FromCaller() asked: Asked): Promise<PolicyView> {
    return this.view(asked.caller.tenant);
  }

  /** Replaces the whole bundle, or changes nothing. */
  @Post()
  @ApiConsumes('application/json', 'application/yaml')
  @ApiBody({ schema: { oneOf: [{ $ref: getSchemaPath(PolicyRequest) }, { type: 'string', description: 'The same as YAML' }] } })
  @ApiCreatedResponse({ type: PolicyView })
  async activate(@FromCaller() asked: Asked, @Body() body: unknown): Promise<PolicyView> {
    const { sequence, warnings } = await this.commanding.call('policy.activate-bundle', { layer: 'rules', bundle: bundleFrom(body), at: this.commanding.now() }, asked);
    return { ...(await this.view(asked.caller.tenant, sequence)), warnings };
  }

  private async view(tenant: TenantId, atLeast?: number): Promise<PolicyView> {
    const key = policyKey(tenant);
    const { state, position } = atLeast === undefined ? await this.aggregates.policies.fresh(key) : await this.aggregates.policies.get(key, atLeast);
    const { version, digest, bundle } = bundleInForce(state);
    return {
      layer: 'rules', version, digest, rules: bundle.rules,
      ...(state.active ? { activatedBy: state.active.by, activatedAt: state.active.at } : {}), sequence: position.sequence,
    };
  }
}
