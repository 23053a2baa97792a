import type { RenderNode, RenderTree } from '@countersign/contracts';
import { renderDiff } from './render-diff.js';
import { bold, indent, oneLine, table, visible } from './terminal.js';

/**
 * A preview as text, all of it in the words of a provider: show it behind a gutter. A node of a type that this build does not
 * know is shown as its JSON, never dropped.
 */
export const renderTree = (tree: RenderTree): string => tree.nodes.map(renderNode).join('\n');

function renderNode(node: RenderNode): string {
  switch (node.type) {
    case 'text': return visible(node.text);
    case 'code_block': return indent(visible(node.text), 2);
    case 'diff': return renderDiff(node.unified);
    case 'table': return table([node.columns.map(whole), ...node.rows.map((row) => row.map(whole))]);
    case 'link': return `${whole(node.label)} <${whole(node.href)}>`;
    case 'list': return node.items.map((item) => `- ${whole(item)}`).join('\n');
    case 'group': return [...(node.title ? [bold(whole(node.title))] : []), ...node.nodes.map(renderNode)].join('\n');
    case 'collapsible': return [bold(whole(node.title)), ...node.nodes.map((inner) => indent(renderNode(inner), 2))].join('\n');
    case 'action': return `[${whole(node.label)}]`;
    default: return visible(JSON.stringify(node));
  }
}

/** On one line, and not cut: what is approved is seen. */
const whole = (text: string): string => oneLine(text, Infinity);
