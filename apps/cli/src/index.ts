export { main } from './main.js';
export { runDemo, type DemoParts, type DemoResult } from './demo/demo.js';
export { automaticAnswer } from './demo/answers.js';
export { localStatePath, projectRoot, readLocalState, stateFolder, type LocalState } from './local-state.js';
