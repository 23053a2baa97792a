import { FAULT_POINTS, type FaultPoint } from './names.js';

/** What happens at a point: the process dies (SIGKILL to itself), the step throws, or it waits. */
export type FaultKind = { readonly kind: 'kill' } | { readonly kind: 'throw' } | { readonly kind: 'delay'; readonly ms: number };

/** `nth` counts crossings of the point from 1; absent: at every crossing. */
export type Fault = FaultKind & { readonly point: FaultPoint; readonly nth?: number };

/**
 * Reads `name=kill|throw|delay:ms[@nth]`, several separated by commas or white space.
 * @throws Error naming the part that is not understood: a fault that is silently not injected would prove nothing
 */
export function parseFaults(text: string): Fault[] {
  return text.split(/[\s,]+/).filter((part) => part !== '').map(parseFault);
}

function parseFault(part: string): Fault {
  const match = /^([a-z.-]+)=(kill|throw|delay:(\d+))(?:@(\d+))?$/.exec(part);
  const point = FAULT_POINTS.find((name) => name === match?.[1]);
  if (!match || !point) {
    throw new Error(`COUNTERSIGN_FAULTS: ‘${part}’ is not name=kill|throw|delay:ms[@nth] with one of ${FAULT_POINTS.join(', ')}`);
  }
  const nth = match[4] === undefined ? {} : { nth: Number(match[4]) };
  if (match[2] === 'kill' || match[2] === 'throw') return { point, kind: match[2], ...nth };
  return { point, kind: 'delay', ms: Number(match[3]), ...nth };
}
