import { eventLogContract } from '../../event-log/src/contract-suite.js';
import { logUnderTest } from '../test/broker-under-test.js';

eventLogContract('one JetStream server', () => logUnderTest());
