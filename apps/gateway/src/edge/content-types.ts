import type { FastifyInstance } from 'fastify';
import { LIMITS } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { parseJsonBody } from './json-body.js';

/** A body in YAML, not parsed yet: only the route that takes it knows what its faults are called. */
export class YamlText {
  constructor(readonly text: string) {}
}

const YAML = ['application/yaml', 'application/x-yaml', 'text/yaml'];

/** The body parsers of the edge; the framework's own are taken away. Everything else is UNSUPPORTED_MEDIA_TYPE. */
export function takeBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const options = { parseAs: 'buffer', bodyLimit: LIMITS.httpBodyBytes } as const;
  server.addContentTypeParser('application/json', options, async (_request: unknown, body: Buffer) => parseJsonBody(body));
  server.addContentTypeParser(YAML, options, async (_request: unknown, body: Buffer) => new YamlText(utf8(body)));
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new GateError('INVALID_REQUEST', 'The body is not UTF-8');
  }
}
