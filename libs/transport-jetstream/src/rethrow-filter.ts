import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Every Nest application over this transport needs it as a global filter. Nest's own filter turns what a handler throws
 * into "Internal server error", and then what is poison cannot be told from what is to be tried again.
 */
@Catch()
export class RethrowFilter implements RpcExceptionFilter<unknown> {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}
