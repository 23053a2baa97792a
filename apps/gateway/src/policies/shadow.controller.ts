import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { PolicyDigestRequest, PolicyRequest, ShadowPolicyView } from '@countersign/contracts/http';
import { FromCaller, type Asked } from '../edge/asked.js';
import { Commanding } from '../edge/commanding.js';
import { bundleOrDigestFrom } from './bundle-body.js';
import { PolicyReader } from './policy-reader.js';

/** The bundle that is evaluated and recorded beside the one in force, without effect. */
@ApiTags('policies')
@ApiBearerAuth()
@Controller('v1/policies/shadow')
export class ShadowController {
  constructor(private readonly commanding: Commanding, private readonly policies: PolicyReader) {}

  @Get()
  @ApiOkResponse({ type: ShadowPolicyView })
  one(@FromCaller() asked: Asked): Promise<ShadowPolicyView> {
    return this.policies.shadow(asked.caller.tenant);
  }

  /** From the next evaluation on: a bundle, or the digest of one that was pushed. */
  @Post()
  @HttpCode(200)
  @ApiConsumes('application/json', 'application/yaml')
  @ApiBody({ schema: { oneOf: [{ $ref: getSchemaPath(PolicyRequest) }, { $ref: getSchemaPath(PolicyDigestRequest) }, { type: 'string', description: 'A bundle as YAML' }] } })
  @ApiOkResponse({ type: ShadowPolicyView })
  async choose(@FromCaller() asked: Asked, @Body() body: unknown): Promise<ShadowPolicyView> {
    const { sequence } = await this.commanding.call('policy.choose-shadow', { ...bundleOrDigestFrom(body), at: this.commanding.now() }, asked);
    return this.policies.shadow(asked.caller.tenant, sequence);
  }

  /** None any more. */
  @Delete()
  @ApiOkResponse({ type: ShadowPolicyView })
  async drop(@FromCaller() asked: Asked): Promise<ShadowPolicyView> {
    const { sequence } = await this.commanding.call('policy.choose-shadow', { at: this.commanding.now() }, asked);
    return this.policies.shadow(asked.caller.tenant, sequence);
  }
}
