import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RegisterProviderRequest } from '@countersign/contracts/http';

/** The folder the demonstration's agent may work on, with two files of its own. */
export interface Scratch {
  readonly folder: string;
  readonly settings: string;
  readonly notes: string;
  readonly summary: string;
}

const NOTES = ['# Release notes', '', '- 1.4.0: faster search', '- 1.3.2: fixes a crash on start', ''].join('\n');
const SETTINGS = `${JSON.stringify({ service: 'search', replicas: 2, region: 'eu' }, null, 2)}\n`;

export async function makeScratch(stateFolder: string, name: string): Promise<Scratch> {
  const folder = join(stateFolder, 'demo', name);
  await mkdir(folder, { recursive: true });
  const scratch = { folder, settings: join(folder, 'settings.json'), notes: join(folder, 'NOTES.md'), summary: join(folder, 'summary.md') };
  await Promise.all([writeFile(scratch.settings, SETTINGS), writeFile(scratch.notes, NOTES)]);
  return scratch;
}

export const newNotes = (): string => NOTES.replace('# Release notes\n', '# Release notes\n\n- 1.5.0: three replicas by default\n');

/** Undefined when there is no such file. */
export async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The npm package `@modelcontextprotocol/server-filesystem`, started by this Node on the scratch folder alone. */
export function filesystemServer(name: string, scratch: Scratch): RegisterProviderRequest {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json');
  const program = join(dirname(manifest), 'dist', 'index.js');
  return { name, endpoint: { transport: 'mcp-stdio', command: process.execPath, args: [program, scratch.folder], adapter: 'files' } };
}
