/** Computes Nx's project graph into its cache, where the lint rule reads it, and checks that it is whole. */
import nx from '@nx/devkit';
import { packageFolders } from '../support/packages.mjs';

const graph = await nx.createProjectGraphAsync({ exitOnError: false, resetDaemonClient: true });
const roots = new Set(Object.values(graph.nodes).map((node) => node.data.root));
const missing = packageFolders().filter((folder) => !roots.has(folder));
if (missing.length > 0) throw new Error(`not in the project graph: ${missing.join(', ')}`);
const untagged = Object.values(graph.nodes).filter((node) => !(node.data.tags ?? []).some((tag) => tag.startsWith('type:')));
if (untagged.length > 0) throw new Error(`no type: tag in the package.json of ${untagged.map((node) => node.data.root).join(', ')}`);
process.stdout.write(`project graph of ${roots.size} projects`);
