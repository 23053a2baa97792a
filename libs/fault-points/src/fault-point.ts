import { parseFaults, type Fault } from './spec.js';
import type { FaultPoint } from './names.js';

/** What a `throw` fault throws; nothing in the product catches it by name. */
export class InjectedFault extends Error {
  constructor(point: FaultPoint) {
    super(`fault injected at ${point}`);
    this.name = 'InjectedFault';
  }
}

type Injector = (point: FaultPoint) => Promise<void> | undefined;

/**
 * A place where a test may let this process fail. Without COUNTERSIGN_FAULTS it is one comparison and returns
 * undefined. Always `await` it: a fault arrives as a rejection or a delay of that promise.
 */
export function faultPoint(point: FaultPoint): Promise<void> | undefined {
  return injector === undefined ? undefined : injector(point);
}

/** Faults for the whole process; an empty text switches them off. For tests in one process; others use the environment. */
export function injectFaults(text: string): void {
  const faults = parseFaults(text);
  injector = faults.length === 0 ? undefined : injectorOf(faults);
}

function injectorOf(faults: readonly Fault[]): Injector {
  const crossings = new Map<FaultPoint, number>();
  return (point) => {
    const nth = (crossings.get(point) ?? 0) + 1;
    crossings.set(point, nth);
    const fault = faults.find((one) => one.point === point && (one.nth === undefined || one.nth === nth));
    return fault === undefined ? undefined : inject(fault);
  };
}

function inject(fault: Fault): Promise<void> {
  if (fault.kind === 'delay') return new Promise((resolve) => setTimeout(resolve, fault.ms));
  if (fault.kind === 'throw') return Promise.reject(new InjectedFault(fault.point));
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {}); // the signal is on its way: nothing after this point may run
}

let injector: Injector | undefined;
injectFaults(process.env.COUNTERSIGN_FAULTS ?? '');
