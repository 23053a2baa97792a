import type { FastifyInstance, FastifyRequest } from 'fastify';
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
  server.addContentTypeParser('application/json', options, async ({ headers }: FastifyRequest, body: Buffer) => parseJsonBody(inUtf8(headers, body)));
  server.addContentTypeParser(YAML, options, async ({ headers }: FastifyRequest, body: Buffer) => new YamlText(utf8(inUtf8(headers, body))));
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/gi;

/** As it is, unless its sender calls it something else than UTF-8. @throws GateError UNSUPPORTED_MEDIA_TYPE */
function inUtf8({ 'content-type': type = '' }: FastifyRequest['headers'], body: Buffer): Buffer {
  for (const [, charset] of type.matchAll(CHARSET)) {
    if (!/^utf-?8$/i.test(charset!)) throw new GateError('UNSUPPORTED_MEDIA_TYPE', 'Bodies are taken in UTF-8 only');
  }
  return body;
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new GateError('INVALID_REQUEST', 'The body is not UTF-8');
  }
}
