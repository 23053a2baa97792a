// A server of the specs that speaks just enough MCP to go wrong in one way. Usage: node misbehaving-server.mjs <way> [file]
import { appendFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [way, file] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const object = { type: 'object', properties: {}, additionalProperties: true };
const tool = (name, annotations) => ({ name, description: name, inputSchema: object, ...(annotations ? { annotations } : {}) });
const pages = {
  first: { tools: [tool('read_it', { readOnlyHint: true }), tool('change_it')], nextCursor: 'second' },
  second: { tools: [tool('gentle', { destructiveHint: false, idempotentHint: true }), { ...tool('long'), description: 'd'.repeat(20_000) }, tool('ok'), tool('environment')] },
};

if (way === 'banner') process.stdout.write('Welcome to the server\n');
if (way === 'child') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  appendFileSync(file, `${child.pid}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } });
  if (method === 'tools/list') say({ id, result: way === 'endless' ? { ...pages.first, nextCursor: 'again' } : pages[params?.cursor ?? 'first'] });
  if (method !== 'tools/call') return;
  if (params.name === 'ok') return say({ id, result: { content: [{ type: 'text', text: String(process.pid) }] } });
  if (params.name === 'environment') return say({ id, result: { content: [{ type: 'text', text: JSON.stringify(process.env) }] } });
  if (way === 'crash') process.exit(3);
  if (way === 'garbage') process.stdout.write('TypeError: not JSON at all\n');
  if (way === 'shape') say({ id, result: { content: 'not a list' } });
  if (way === 'error') say({ id, error: { code: -32603, message: 'it broke\n    at x (/srv/y.js:1:1)' } });
  if (way === 'flood') process.stdout.write('x'.repeat(20 * 1024 * 1024));
  if (way === 'late') setTimeout(() => appendFileSync(file, 'effect\n'), 800);
});
