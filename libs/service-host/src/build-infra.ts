import { randomBytes } from 'node:crypto';
import { checkBroker, connectService } from '@countersign/broker';
import type { ServiceName } from '@countersign/contracts';
import { JetStreamBlobStore, JetStreamEventLog, JetStreamTimers } from '@countersign/event-log-jetstream';
import { makeLogger, type LogLevel } from './make-logger.js';
import type { ServiceConfig, ServiceInfra } from './service.js';

/**
 * Connects in the service's own account, checks that the broker is as it must be, and makes what the module is built from.
 * @throws BrokerUnsuitable, or the client's error when no broker answers or the credentials are refused
 */
export async function buildInfra(service: ServiceName, config: ServiceConfig, level: LogLevel): Promise<ServiceInfra> {
  const instance = `${service}-${randomBytes(5).toString('hex')}`;
  const logger = makeLogger({ service, instance }, level);
  const broker = await connectService(config.broker, service);
  try {
    await checkBroker(service, broker);
  } catch (error) {
    await broker.connection.close();
    throw error;
  }
  const access = { connection: broker.connection, apiPrefix: broker.apiPrefix };
  const now = (): Date => new Date();
  return {
    service, config, broker, logger, instance, now,
    log: new JetStreamEventLog({ ...access, author: service, now }),
    blobs: new JetStreamBlobStore(access),
    timers: new JetStreamTimers({ ...access, service }),
  };
}
