import { openAuditStore, type AuditStore, type AuditStoreOptions } from '@countersign/audit-store';
import { GateError, isGateError } from '@countersign/kernel';
import type { ServiceLogger } from '@countersign/service-host';

/** The audit's database, which may come later than this service and go away between. */
export class StoreAccess {
  private opening: Promise<AuditStore> | undefined;
  private closed = false;

  constructor(private readonly options: AuditStoreOptions, private readonly logger: ServiceLogger) {}

  /** @throws pg's error while the database does not answer */
  open(): Promise<AuditStore> {
    if (this.closed) throw new GateError('UNAVAILABLE', 'The audit is stopping');
    this.opening ??= openAuditStore(this.options).catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  /** For one question of a caller: a database that does not answer is UNAVAILABLE, and its message stays in our log. */
  async ask<T>(question: (store: AuditStore) => Promise<T>): Promise<T> {
    try {
      return await question(await this.open());
    } catch (error) {
      if (isGateError(error)) throw error;
      this.logger.error({ err: error }, 'the audit’s database did not answer');
      throw new GateError('UNAVAILABLE', 'The audit’s database does not answer');
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await (await this.opening?.catch(() => undefined))?.close();
  }
}
