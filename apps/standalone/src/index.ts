export { main } from './main.js';
export { startGate, type Gate, type GateOptions } from './gate.js';
export { terminalProgress, type Progress } from './progress.js';
