import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { LIMITS } from '@countersign/contracts';
import { LintRequest, PolicyDigestRequest, PolicyRequest, Problem } from '@countersign/contracts/http';
import { accessOf } from '../auth/route-roles.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
const METHODS = ['get', 'put', 'post', 'delete'] as const;

/** The description of the API, made once from the classes that also validate it. */
export class OpenApi {
  private made: OpenAPIObject | undefined;

  /** @throws Error before `describe` */
  get document(): OpenAPIObject {
    if (!this.made) throw new Error('the API is not described yet');
    return this.made;
  }

  /** When every route is known, before the application listens. */
  describe(app: INestApplication): void {
    const config = new DocumentBuilder()
      .setTitle('Countersign')
      .setDescription(`The plan/apply gate for fleets of AI agents. Every error is \`application/problem+json\` with a literal \`code\`. Bodies are at most ${LIMITS.httpBodyBytes} bytes and ${LIMITS.jsonDepth} levels deep.`)
      .setVersion('1')
      .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key, `csk_<tenant>_<keyId>_<secret>`' })
      .build();
    const document = SwaggerModule.createDocument(app, config, { extraModels: [Problem, PolicyRequest, PolicyDigestRequest, LintRequest] });
    for (const [path, item] of Object.entries(document.paths)) {
      for (const method of METHODS) if (item[method]) complete(item[method], method, path);
    }
    this.made = document;
  }
}

/** What is true of every route: how it fails, and who may call it. */
function complete(operation: Operation, method: string, path: string): void {
  operation.responses['default'] = { description: 'Refused, or failed', content: { 'application/problem+json': { schema: { $ref: getSchemaPath(Problem) } } } };
  const access = accessOf(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'));
  Object.assign(operation, { 'x-access': access });
}
