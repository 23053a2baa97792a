import { runService } from '../src/index.js';
import { smallPolicy } from './small-policy.js';

await runService(smallPolicy({ seen: [], onProposed: async () => undefined }));
