import type { RenderNode, RenderTree } from '@countersign/contracts';
import { bold, cyan, dim, green, indent, red, table, visible } from './terminal.js';

/** A preview as text. A node of a type that this build does not know is shown as its JSON, never dropped. */
export const renderTree = (tree: RenderTree): string => tree.nodes.map(renderNode).join('\n');

function renderNode(node: RenderNode): string {
  switch (node.type) {
    case 'text': return visible(node.text);
    case 'code_block': return indent(visible(node.text), 2);
    case 'diff': return renderDiff(node.unified);
    case 'table': return table([node.columns.map(visible), ...node.rows.map((row) => row.map(visible))]);
    case 'link': return `${visible(node.label)} <${visible(node.href)}>`;
    case 'list': return node.items.map((item) => `- ${visible(item)}`).join('\n');
    case 'group': return [...(node.title ? [bold(visible(node.title))] : []), ...node.nodes.map(renderNode)].join('\n');
    case 'collapsible': return [bold(visible(node.title)), ...node.nodes.map((inner) => indent(renderNode(inner), 2))].join('\n');
    case 'action': return `[${visible(node.label)}]`;
    default: return visible(JSON.stringify(node));
  }
}

function renderDiff(unified: string): string {
  return visible(unified).split('\n').map((line) => {
    if (line.startsWith('+++') || line.startsWith('---')) return bold(line);
    if (line.startsWith('@@')) return cyan(line);
    if (line.startsWith('+')) return green(line);
    if (line.startsWith('-')) return red(line);
    return dim(line);
  }).join('\n');
}
