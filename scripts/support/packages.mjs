import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

/** Folders whose members are packages; the same as `workspaces` in package.json. */
const WORKSPACES = ['libs', 'libs/domain', 'apps'];

/** Every package of the workspace as a path relative to the root, e.g. `libs/domain/plan`. */
export function packageFolders(root = ROOT) {
  return WORKSPACES.flatMap((parent) => namesIn(join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')));
}

function namesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
}

/** Every file below a folder, as paths relative to it, in a stable order. */
export function filesBelow(folder, prefix = '') {
  if (!existsSync(join(folder, prefix))) return [];
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesBelow(folder, path);
    return [path];
  }).sort();
}
