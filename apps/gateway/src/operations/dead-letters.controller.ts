import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { SERVICES } from '@countersign/contracts';
import { DeadLetterListView, DeadLetterView, RetriedView } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import { FromCaller, contextOf, type Asked } from '../edge/asked.js';
import { oneOf, type Query as QueryOf } from '../edge/query.js';
import { DeadLetterDesk, type Which } from './dead-letter-desk.js';

export const STREAM = { name: 'stream', type: String };
export const SEQUENCE = { name: 'sequence', type: Number };
export const SERVICE = { name: 'service', required: false, enum: [...SERVICES], description: 'When several services could not handle the same event' };

@ApiTags('dead letters')
@ApiBearerAuth()
@Controller('v1/dead-letters')
export class DeadLettersController {
  constructor(private readonly desk: DeadLetterDesk) {}

  @Get()
  @ApiOkResponse({ type: DeadLetterListView })
  async list(@FromCaller() asked: Asked): Promise<DeadLetterListView> {
    return { deadLetters: await this.desk.list(asked.caller.tenant) };
  }

  /** With the event itself, when it can be read. */
  @Get(':stream/:sequence')
  @ApiParam(STREAM)
  @ApiParam(SEQUENCE)
  @ApiQuery(SERVICE)
  @ApiOkResponse({ type: DeadLetterView })
  one(@FromCaller() asked: Asked, @Param() path: PathOf, @Query() query: QueryOf): Promise<DeadLetterView> {
    return this.desk.show(asked.caller.tenant, whichOf(path, query));
  }

  /** Drives the same event through the same handler again. */
  @Post(':stream/:sequence/retry')
  @ApiParam(STREAM)
  @ApiParam(SEQUENCE)
  @HttpCode(200)
  @ApiQuery(SERVICE)
  @ApiOkResponse({ type: RetriedView })
  retry(@FromCaller() asked: Asked, @Param() path: PathOf, @Query() query: QueryOf): Promise<RetriedView> {
    return this.desk.retry(asked.caller.tenant, whichOf(path, query), contextOf(asked));
  }
}

export type PathOf = Readonly<Record<'stream' | 'sequence', string>>;

export function whichOf({ stream, sequence }: PathOf, query: QueryOf): Which {
  if (!/^[1-9]\d{0,15}$/.test(sequence)) throw new GateError('DEAD_LETTER_UNKNOWN');
  const service = oneOf(query, 'service', SERVICES);
  return { stream, sequence: Number(sequence), ...(service === undefined ? {} : { service }) };
}
