import { ApiProperty } from '@nestjs/swagger';

/** A part of a longer list. Subclasses say what `rows` holds. */
export abstract class Page {
  @ApiProperty({ required: false, description: 'Give it as `cursor` for what comes next; absent at the end' })
  nextCursor?: string;

  @ApiProperty({ description: 'Position of the log that this answer reflects' })
  reflects!: number;
}
