export { validateBundle } from './validate-bundle.js';
export { parseBundle } from './parse-bundle.js';
export { compileBundle, type CompiledBundle } from './compile-bundle.js';
export { ENGINE_VERSION, evaluate, type EvaluationResult, type JudgedCall } from './evaluate.js';
