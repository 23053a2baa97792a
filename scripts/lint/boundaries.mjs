/** Who may import whom. The tags stand in each package's package.json; ADR 0001 says why this is Nx's only job. */

/** Tag → tags it may depend on. Nothing may depend on what is not listed; there is no rule with a wildcard on both sides. */
const MAY_IMPORT = {
  contract: ['contract'],
  kernel: ['kernel', 'contract'],
  domain: ['kernel', 'contract'],
  port: ['kernel', 'contract'],
  adapter: ['port', 'kernel', 'contract'],
  projection: ['domain', 'port', 'kernel', 'contract'],
  // A host makes the adapters that an app is given; apps and domains never see which.
  host: ['host', 'adapter', 'port', 'kernel', 'contract'],
  web: ['contract'],
  app: ['contract', 'kernel', 'domain', 'port', 'adapter', 'projection', 'host', 'web'],
  composition: ['contract', 'kernel', 'domain', 'port', 'adapter', 'projection', 'host', 'web', 'app'],
  testkit: ['contract', 'kernel', 'domain', 'port'],
  workspace: ['contract', 'kernel', 'domain', 'port', 'adapter', 'projection', 'host', 'web', 'app', 'composition', 'testkit'],
};

/** What touches the world is tested against the real thing, which the embedded servers (type host) start. */
const TESTED_AGAINST_SERVERS = ['adapter', 'projection', 'host', 'app', 'composition'];

const constraintsOf = (allowed) => Object.entries(allowed).map(([tag, targets]) => ({
  sourceTag: `type:${tag}`,
  onlyDependOnLibsWithTags: targets.map((target) => `type:${target}`),
}));

/** For code that ships. A cycle between packages is an error as well. */
export const SOURCE_BOUNDARIES = {
  depConstraints: constraintsOf(MAY_IMPORT),
  checkDynamicDependenciesExceptions: ['.*'],
};

/** Specs may use the test kit besides, which may itself use what is under test. */
export const SPEC_BOUNDARIES = {
  depConstraints: constraintsOf(Object.fromEntries(Object.entries(MAY_IMPORT).map(([tag, targets]) => [
    tag, [...targets, 'testkit', ...(TESTED_AGAINST_SERVERS.includes(tag) ? ['host', 'adapter'] : [])],
  ]))),
  checkDynamicDependenciesExceptions: ['.*'],
  ignoredCircularDependencies: ['testkit', 'host', 'adapter'].map((tag) => ['*', `tag:type:${tag}`]),
};

const NEST = ban('@nestjs/', 'Nest belongs to apps and hosts: take what you need as an argument');
const TYPEORM = ban(/^(typeorm|@nestjs\/typeorm)(\/|$)/, 'TypeORM is used in libs/audit-store only');
const DATABASE = ban(/^(typeorm|pg|pg-copy-streams)(\/|$)/, 'no database here: the log is the truth, and adapters reach it');
const NATS = ban('@nats-io/', 'no broker here: speak through the ports of libs/event-log');
const LEGACY_NATS = ban(/^nats$/, 'the package is @nats-io/transport-node now (ADR 0002)');
const CATALOGUE = ban(/^@countersign\/domain-provider(\/|$)/, 'what was true when a plan was proposed is in the plan: never look it up');
const NODE = ban('node:', 'no input or output, clock or randomness in here: they arrive as arguments; digests are made by @countersign/kernel');
const HASHING_ONLY = { ...NODE, except: { 'node:crypto': ['createHash'] } };

function ban(what, why) {
  return { pattern: what instanceof RegExp ? what.source : `^${what}`, why };
}

/** Every folder with the imports that are banned in its shipped code. The order of an app's or lib's own rows does not matter. */
export const BANNED_IMPORTS = [
  { files: 'libs/contracts', bans: [TYPEORM, DATABASE, NATS, NODE] },
  { files: 'libs/{kernel,fault-points}', bans: [NEST, DATABASE, NATS, HASHING_ONLY] },
  { files: 'libs/{domain/*,policy-engine}', bans: [NEST, DATABASE, NATS, NODE] },
  { files: 'libs/{event-log,providers}', bans: [NEST, DATABASE, NATS] },
  { files: 'libs/{broker,embedded,event-log-jetstream,providers-mcp,sdk,service-host,testkit,transport-jetstream}', bans: [TYPEORM] },
  { files: 'libs/audit-store', bans: [CATALOGUE] },
  { files: 'apps/{audit,executor}', bans: [TYPEORM, CATALOGUE] },
  { files: 'apps/!(audit|executor)', bans: [TYPEORM] },
].map(({ files, bans }) => ({ files: [`${files}/src/**/*.ts`], bans: [...bans, LEGACY_NATS] }));

/** Where time, ids and chance must arrive as arguments. */
export const WITHOUT_CLOCK = ['libs/{kernel,domain/*,policy-engine}/src/**/*.ts'];
