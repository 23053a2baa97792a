import type { MessageHandler } from '@nestjs/microservices';
import { keyOf } from './patterns.js';

/** The handlers of one service by `keyOf` their pattern. */
export class HandlerTable {
  private constructor(private readonly handlers: ReadonlyMap<string, MessageHandler>) {}

  /**
   * @param routes Nest's own map: the JSON text of a pattern → handler
   * @throws Error on a pattern that this transport does not know
   */
  static of(routes: ReadonlyMap<string, MessageHandler>): HandlerTable {
    const handlers = new Map<string, MessageHandler>();
    for (const [route, handler] of routes) {
      const key = keyOf(parse(route));
      if (key === undefined) throw new Error(`${route} is not a pattern of this transport: use OnEvent, OnTimer or OnCommand`);
      handlers.set(key, handler);
    }
    return new HandlerTable(handlers);
  }

  get(key: string): MessageHandler | undefined {
    return this.handlers.get(key);
  }
}

function parse(route: string): unknown {
  try {
    return JSON.parse(route);
  } catch {
    return undefined;
  }
}
