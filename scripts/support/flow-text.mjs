/** The text of docs/FLOW.md, from the one map in libs/contracts. Pure: it is given the map. */

/**
 * @param {{ services: readonly string[], flow: Record<string, object>, authorOf: Record<string, string>, streamOf: Record<string, string> }} map
 */
export function flowText({ services, flow, authorOf, streamOf }) {
  const events = Object.keys(authorOf);
  const emittedBy = (service) => events.filter((event) => authorOf[event] === service);
  return `${[
    '# Who does what, in the order of one call\'s way',
    '',
    'Generated from `libs/contracts/src/flow.ts` by `npm run flow`. Do not edit: a test compares it with the map, from which',
    'NATS accounts, permissions, streams and consumers are made as well.',
    '',
    '## Services',
    '',
    ...table(['service', 'account', 'does', 'consumes', 'emits', 'serves'], services.map((service) => [
      code(service), code(flow[service].account), flow[service].does,
      list(flow[service].consumes.flatMap((consumer) => sources(consumer))), list(emittedBy(service).map(code)), list(flow[service].serves.map(code)),
    ])),
    '',
    '## What each may touch besides',
    '',
    ...table(['service', 'reads', 'blobs', 'results', 'sets timers', 'live feed'], services.map((service) => [
      code(service), list(flow[service].reads.map(code)), flow[service].blobs, flow[service].results, yes(flow[service].timers), yes(flow[service].live),
    ])),
    '',
    '## Facts and their only author',
    '',
    ...table(['event', 'author', 'stream'], events.map((event) => [code(event), code(authorOf[event]), code(streamOf[aggregateOf(event)])])),
    '',
    '## One call\'s way',
    '',
    ...picture({ services, flow, emittedBy }),
  ].join('\n')}\n`;
}

const code = (text) => `\`${text}\``;
const list = (entries) => (entries.length === 0 ? '–' : entries.join(', '));
const yes = (value) => (value ? 'yes' : 'no');
const aggregateOf = (event) => event.slice(0, event.indexOf('.'));

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** What one durable consumer is fed with, in words. */
function sources({ stream, from }) {
  if (from === 'everything') return [`everything in ${code(stream)}`];
  if (from === 'timers') return [`its timers (${code(stream)})`];
  if (from === 'outbox') return [`its deliveries (${code(stream)})`];
  return from.map(({ aggregate, author }) => `every ${code(aggregate)} fact of ${author}`);
}

/** Commands and facts between the services. Audit is left out: it hears everything. */
function picture({ services, flow, emittedBy }) {
  const node = (service) => service.replace(/\W/g, '_');
  const caller = services[0];
  const commands = services.filter((service) => flow[service].serves.length > 0 && service !== 'audit')
    .map((service) => `  ${node(caller)} -. commands .-> ${node(service)}`);
  const facts = services.filter((service) => service !== 'audit').flatMap((service) => flow[service].consumes
    .filter(({ from }) => Array.isArray(from))
    .flatMap(({ from }) => from.map(({ aggregate, author }) => {
      const all = emittedBy(author).filter((event) => aggregateOf(event) === aggregate).map((event) => event.slice(aggregate.length + 1));
      return `  ${node(author)} -- "${all.join(', ')}" --> ${node(service)}`;
    })));
  const live = services.filter((service) => flow[service].live).map((service) => `  log[(the log)] -. live feed .-> ${node(service)}`);
  return [
    '```mermaid', 'flowchart LR', ...services.filter((service) => service !== 'audit').map((service) => `  ${node(service)}[${service}]`),
    ...commands, ...facts, ...live, '  log -- "every fact" --> audit[audit]', '```',
  ];
}
