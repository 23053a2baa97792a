import { ApiProperty } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '../errors.js';

/** Every error of the API, `application/problem+json` (RFC 9457). Programs read `code`; people read `detail`. */
export class Problem {
  @ApiProperty({ example: 'urn:countersign:error:NOT_FOUND' })
  type!: string;

  @ApiProperty()
  title!: string;

  @ApiProperty({ description: 'HTTP status' })
  status!: number;

  @ApiProperty({ enum: Object.keys(ERROR_CODES) })
  code!: ErrorCode;

  @ApiProperty({ description: 'What is wrong with this request, and what to do' })
  detail!: string;

  @ApiProperty({ description: 'Names this request in the logs of every service' })
  correlationId!: string;

  @ApiProperty({ required: false, description: 'More about it, for programs: e.g. the fields that do not fit' })
  details?: unknown;
}
