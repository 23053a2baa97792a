import { randomBytes } from 'node:crypto';
import { automaticAnswer, localStatePath, projectRoot, runDemo, stateFolder } from '@countersign/app-cli';
import { SERVICES } from '@countersign/contracts';
import { CountersignClient } from '@countersign/sdk';
import { startGate, type Gate } from './gate.js';
import { HELP, parseOptions } from './options.js';
import { terminalProgress } from './progress.js';

/** `npm start`. @returns the exit code */
export async function main(argv: readonly string[]): Promise<number> {
  const options = parseOptions(argv);
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const progress = terminalProgress();
  const stopped = untilStopped();
  const folder = stateFolder(projectRoot());
  const gate = await startGate({ folder, processes: options.processes, progress, env: process.env });
  try {
    const showDemo = options.once || (options.demo && gate.isNew);
    const demo = showDemo ? await demonstrate(gate, folder) : undefined;
    if (options.once) return 0;
    console.log(welcome(gate, folder, demo?.planIds[0]));
    progress.say(`stopping (${await stopped}) …`);
    return 0;
  } finally {
    await gate.stop();
    progress.say(`stopped; the data is in ${folder}`);
  }
}

function demonstrate(gate: Gate, folder: string) {
  const { url, demo } = gate.state;
  console.log('The main job, once: an agent proposes, policy judges, demo-operator answers, the executor applies.');
  return runDemo({
    agent: new CountersignClient({ url, apiKey: demo.agentKey }),
    operator: new CountersignClient({ url, apiKey: demo.operatorKey }),
    stateFolder: folder,
    answer: automaticAnswer,
    say: console.log,
    run: `start-${randomBytes(3).toString('hex')}`,
  });
}

function welcome(gate: Gate, folder: string, planId: string | undefined): string {
  const pids = gate.processes ? [`  processes ${SERVICES.map((service) => `${service}=${gate.processes?.pid(service)}`).join(' ')}`] : [];
  const look = planId === undefined ? ['plan list', 'plan list --asked'] : [`plan show ${planId}`, `plan replay ${planId}`];
  return [
    '',
    'Countersign is ready.',
    `  url   ${gate.state.url}`,
    `  key   ${gate.state.key}`,
    `  (both in ${localStatePath(folder)}, which the command line reads)`,
    ...pids,
    '',
    'Try next, in another terminal:',
    '  npx countersign demo',
    ...look.map((command) => `  npx countersign ${command}`),
    '',
    'Ctrl-C stops it; the data stays.',
  ].join('\n');
}

/** The name of the signal that ends the gate. A second one ends the process at once. */
function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve(signal);
      });
    }
  });
}
