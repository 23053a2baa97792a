import { eventLogContract } from '@countersign/event-log/contract-suite';
import { logUnderTest } from '../test/broker-under-test.js';

eventLogContract('one JetStream server', () => logUnderTest());
