import type { MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';

/**
 * Runs a Nest handler to its end. What it throws arrives here as an observable's error, because of the rethrow filter;
 * an observable nobody subscribes to would be a failure nobody sees.
 */
export async function invoke(handler: MessageHandler, payload: unknown, context: unknown): Promise<unknown> {
  const returned: unknown = await handler(payload, context);
  return isObservable(returned) ? lastValueFrom(returned, { defaultValue: undefined }) : returned;
}
