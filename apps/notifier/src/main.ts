import { runService } from '@countersign/service-host';
import { definition } from './index.js';

await runService(definition);
