import { ID_PATTERN } from '../ids.js';
import type { JsonObject } from '../json.js';
import { LIMITS } from '../limits.js';
import { JsonBody, NestedList, Text } from './fields.js';

/** One tool call of a turn. */
export class CallRequest {
  @Text({ max: LIMITS.callIdChars, description: 'The caller’s own id of the call, unique within the plan' })
  callId!: string;

  @Text({ max: 40, example: 'files' })
  provider!: string;

  @Text({ max: LIMITS.nameChars, example: 'write_file' })
  operation!: string;

  @JsonBody({ description: 'Arguments, as the operation’s schema wants them' })
  input!: JsonObject;
}

/** The tool calls of one turn become one plan. One to 1,000 items. */
export class ProposeRequest {
  @Text({ optional: true, max: 80, pattern: ID_PATTERN, description: 'Default: made from the plan’s id' })
  turnId?: string;

  @NestedList(() => CallRequest, { maxItems: LIMITS.planItems, tooMany: 'PLAN_TOO_LARGE' })
  items!: CallRequest[];
}
