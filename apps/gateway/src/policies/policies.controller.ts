import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiQuery, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { POLICY_BUNDLE_SCHEMA } from '@countersign/contracts';
import { PolicyDiffView, PolicyHistoryView, PolicyView, PolicyRequest, PolicyDigestRequest, PushedBundleView, RollbackRequest } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import { FromCaller, type Asked } from '../edge/asked.js';
import { BodyOf } from '../edge/body.js';
import { Commanding } from '../edge/commanding.js';
import { numberFrom, type Query as QueryOf } from '../edge/query.js';
import { bundleFrom, bundleOrDigestFrom } from './bundle-body.js';
import { LAYER, layerFrom, layerToChange } from './layer.js';
import { PolicyReader } from './policy-reader.js';

const YAML_OR_JSON = { type: 'string', description: 'The same as YAML' } as const;
const version = (name: string) => ApiQuery({ name, required: true, type: Number, description: 'A version; 0 is the empty bundle before the first' });

@ApiTags('policies')
@ApiBearerAuth()
@Controller('v1/policies')
export class PoliciesController {
  constructor(private readonly commanding: Commanding, private readonly policies: PolicyReader) {}

  /** The bundle in force. */
  @Get()
  @ApiQuery(LAYER)
  @ApiOkResponse({ type: PolicyView })
  active(@FromCaller() asked: Asked, @Query() query: QueryOf): Promise<PolicyView> {
    return this.policies.active(asked.caller.tenant, layerFrom(query));
  }

  /** Replaces the whole bundle, or changes nothing: with a bundle, or with the digest of one that was pushed. */
  @Post()
  @ApiQuery(LAYER)
  @ApiConsumes('application/json', 'application/yaml')
  @ApiBody({ schema: { oneOf: [{ $ref: getSchemaPath(PolicyRequest) }, { $ref: getSchemaPath(PolicyDigestRequest) }, YAML_OR_JSON] } })
  @ApiCreatedResponse({ type: PolicyView })
  async activate(@FromCaller() asked: Asked, @Query() query: QueryOf, @Body() body: unknown): Promise<PolicyView> {
    const layer = layerToChange(query, asked.caller);
    const { sequence, warnings } = await this.commanding.call('policy.activate-bundle', { layer, ...bundleOrDigestFrom(body), at: this.commanding.now() }, asked);
    return { ...(await this.policies.active(asked.caller.tenant, layer, sequence)), warnings };
  }

  /** Keeps a bundle under its digest, without effect. */
  @Post('push')
  @ApiQuery(LAYER)
  @ApiConsumes('application/json', 'application/yaml')
  @ApiBody({ schema: { oneOf: [{ $ref: getSchemaPath(PolicyRequest) }, YAML_OR_JSON] } })
  @ApiCreatedResponse({ type: PushedBundleView })
  async push(@FromCaller() asked: Asked, @Query() query: QueryOf, @Body() body: unknown): Promise<PushedBundleView> {
    const layer = layerToChange(query, asked.caller);
    const { digest, sequence, warnings } = await this.commanding.call('policy.push-bundle', { layer, bundle: bundleFrom(body), at: this.commanding.now() }, asked);
    return { layer, digest, sequence, warnings };
  }

  /** Puts an earlier version in force again, as a new one. */
  @Post('rollback')
  @HttpCode(200)
  @ApiQuery(LAYER)
  @ApiBody({ type: RollbackRequest, required: false })
  @ApiOkResponse({ type: PolicyView })
  async rollBack(@FromCaller() asked: Asked, @Query() query: QueryOf, @Body(new BodyOf(RollbackRequest, { optional: true })) body: RollbackRequest): Promise<PolicyView> {
    const layer = layerToChange(query, asked.caller);
    const { sequence, warnings } = await this.commanding.call('policy.roll-back', { layer, ...(body.version ? { version: body.version } : {}), at: this.commanding.now() }, asked);
    return { ...(await this.policies.active(asked.caller.tenant, layer, sequence)), warnings };
  }

  /** Every version that was in force. */
  @Get('history')
  @ApiQuery(LAYER)
  @ApiOkResponse({ type: PolicyHistoryView })
  history(@FromCaller() asked: Asked, @Query() query: QueryOf): Promise<PolicyHistoryView> {
    return this.policies.history(asked.caller.tenant, layerFrom(query));
  }

  /** One version, with its rules. */
  @Get('versions/:version')
  @ApiQuery(LAYER)
  @ApiOkResponse({ type: PolicyView })
  one(@FromCaller() asked: Asked, @Param('version') text: string, @Query() query: QueryOf): Promise<PolicyView> {
    if (!/^\d{1,15}$/.test(text)) throw new GateError('VERSION_UNKNOWN', `There is no version ${text.slice(0, 80)}`);
    return this.policies.version(asked.caller.tenant, layerFrom(query), Number(text));
  }

  /** What differs between two versions, rule by rule, and both of them. */
  @Get('diff')
  @ApiQuery(LAYER)
  @version('from') @version('to')
  @ApiOkResponse({ type: PolicyDiffView })
  diff(@FromCaller() asked: Asked, @Query() query: QueryOf): Promise<PolicyDiffView> {
    const [from, to] = ['from', 'to'].map((name) => numberFrom(query, name, { max: Number.MAX_SAFE_INTEGER }));
    if (from === undefined || to === undefined) throw new GateError('INVALID_REQUEST', '?from and ?to name two versions');
    return this.policies.diff(asked.caller.tenant, layerFrom(query), from, to);
  }

  /** The JSON Schema of a bundle, for editors. */
  @Get('schema')
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  schema(): object {
    return POLICY_BUNDLE_SCHEMA;
  }
}
