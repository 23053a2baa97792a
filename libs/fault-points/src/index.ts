export { faultPoint, injectFaults, InjectedFault } from './fault-point.js';
export { FAULT_POINTS, type FaultPoint } from './names.js';
export { parseFaults, type Fault, type FaultKind } from './spec.js';
