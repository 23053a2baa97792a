/** Forbidden imports, one of each kind, with a word of the message that must name it. Planted in a clone, never here. */
export interface Planted {
  readonly what: string;
  readonly file: string;
  readonly source: string;
  readonly rule: '@nx/enforce-module-boundaries' | 'countersign/banned-imports' | 'countersign/no-clock' | 'no-restricted-syntax';
  readonly says: string;
}

const NX = '@nx/enforce-module-boundaries';
const BANNED = 'countersign/banned-imports';
const CLOCK = 'countersign/no-clock';

const imports = (module: string) => `import * as planted from '${module}';\nexport const used = planted;\n`;

export const PLANTED: readonly Planted[] = [
  { what: 'a domain lib imports Nest', file: 'libs/domain/plan/src/planted-nest.ts', source: imports('@nestjs/common'), rule: BANNED, says: '@nestjs/common' },
  { what: 'a domain lib imports another domain lib', file: 'libs/domain/plan/src/planted-domain.ts', source: imports('@countersign/domain-session'), rule: NX, says: 'type:domain' },
  { what: 'a domain lib imports an adapter', file: 'libs/domain/plan/src/planted-adapter.ts', source: imports('@countersign/event-log-jetstream'), rule: NX, says: 'type:domain' },
  { what: 'a domain lib reads files', file: 'libs/domain/plan/src/planted-files.ts', source: imports('fs'), rule: BANNED, says: '\'fs\'' },
  { what: 'a domain lib hashes by itself', file: 'libs/domain/plan/src/planted-hash.ts', source: imports('node:crypto'), rule: BANNED, says: 'node:crypto' },
  { what: 'the kernel takes randomness', file: 'libs/kernel/src/planted-random.ts', source: 'import { randomUUID } from \'node:crypto\';\nexport const used = randomUUID();\n', rule: BANNED, says: 'node:crypto' },
  { what: 'the kernel imports a lib for the outside', file: 'libs/kernel/src/planted-sdk.ts', source: imports('@countersign/sdk'), rule: NX, says: 'type:kernel' },
  { what: 'two libs import each other', file: 'libs/contracts/src/planted-cycle.ts', source: imports('@countersign/sdk'), rule: NX, says: 'Circular dependency' },
  { what: 'the executor imports the provider catalogue', file: 'apps/executor/src/planted-catalogue.ts', source: imports('@countersign/domain-provider'), rule: BANNED, says: 'domain-provider' },
  { what: 'the executor imports it when it runs', file: 'apps/executor/src/planted-dynamic.ts', source: 'export const used = () => import(\'@countersign/domain-provider\');\n', rule: BANNED, says: 'domain-provider' },
  { what: 'audit imports the provider catalogue', file: 'apps/audit/src/planted-catalogue.ts', source: imports('@countersign/domain-provider'), rule: BANNED, says: 'domain-provider' },
  { what: 'an app imports an app', file: 'apps/planner/src/planted-app.ts', source: imports('@countersign/app-policy'), rule: NX, says: 'type:app' },
  { what: 'a lib imports an app', file: 'libs/testkit/src/planted-app.ts', source: imports('@countersign/app-policy'), rule: NX, says: 'type:testkit' },
  { what: 'an app reaches into a lib by path', file: 'apps/planner/src/planted-path.ts', source: imports('../../../libs/kernel/src/decider.js'), rule: NX, says: 'relative or absolute path' },
  { what: 'shipped code imports the test kit', file: 'apps/planner/src/planted-testkit.ts', source: imports('@countersign/testkit'), rule: NX, says: 'type:app' },
  { what: 'an app imports TypeORM', file: 'apps/audit/src/planted-typeorm.ts', source: imports('typeorm'), rule: BANNED, says: 'typeorm' },
  { what: 'a lib imports Nest\'s TypeORM', file: 'libs/service-host/src/planted-typeorm.ts', source: imports('@nestjs/typeorm'), rule: BANNED, says: '@nestjs/typeorm' },
  { what: 'a port imports the broker\'s client', file: 'libs/event-log/src/planted-nats.ts', source: imports('@nats-io/jetstream'), rule: BANNED, says: '@nats-io/jetstream' },
  { what: 'a domain lib reads the clock', file: 'libs/domain/plan/src/planted-now.ts', source: 'export const used = Date.now();\n', rule: CLOCK, says: 'Date.now' },
  { what: 'a domain lib makes a date of now', file: 'libs/domain/plan/src/planted-date.ts', source: 'export const used = new Date();\n', rule: CLOCK, says: 'new Date()' },
  { what: 'the policy engine throws dice', file: 'libs/policy-engine/src/planted-random.ts', source: 'export const used = globalThis.Math.random();\n', rule: CLOCK, says: 'Math.random' },
  { what: 'the kernel makes an id', file: 'libs/kernel/src/planted-id.ts', source: 'export const used = crypto.randomUUID();\n', rule: CLOCK, says: 'crypto.randomUUID' },
  { what: 'an app makes a cycle permanent', file: 'apps/planner/src/planted-cycle.ts', source: 'import { forwardRef } from \'@nestjs/common\';\nexport const used = forwardRef(() => String);\n', rule: 'no-restricted-syntax', says: 'cycle' },
];

/** The same kinds of code where they are right: no rule may fire. */
export const ALLOWED: readonly Pick<Planted, 'what' | 'file' | 'source'>[] = [
  { what: 'the kernel hashes', file: 'libs/kernel/src/allowed-hash.ts', source: 'import { createHash } from \'node:crypto\';\nexport const used = createHash(\'sha256\');\n' },
  { what: 'a domain lib reads a date that it was given', file: 'libs/domain/plan/src/allowed-date.ts', source: 'export const used = (at: string) => new Date(at).getTime();\n' },
  { what: 'audit-store imports TypeORM', file: 'libs/audit-store/src/allowed-typeorm.ts', source: imports('typeorm') },
  { what: 'the policy app imports the catalogue', file: 'apps/policy/src/allowed-catalogue.ts', source: imports('@countersign/domain-provider') },
  { what: 'standalone imports an app', file: 'apps/standalone/src/allowed-app.ts', source: imports('@countersign/app-policy') },
  { what: 'a spec imports the test kit', file: 'libs/domain/plan/src/allowed-testkit.spec.ts', source: imports('@countersign/testkit') },
];
