/**
 * One run for all specs. ESM: run with NODE_OPTIONS=--experimental-vm-modules (scripts/test.mjs does).
 * Libraries are taken from their sources, so no build is needed for specs of libs.
 */
export default {
  testEnvironment: 'node',
  rootDir: '.',
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/.countersign/'],
  modulePathIgnorePatterns: ['/dist/', '/.countersign/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    '^@countersign/contracts/http$': '<rootDir>/libs/contracts/src/http/index.ts',
    '^@countersign/domain-(.*)$': '<rootDir>/libs/domain/$1/src/index.ts',
    '^@countersign/app-(.*)$': '<rootDir>/apps/$1/src/index.ts',
    '^@countersign/([^/]+)/([^/]+)$': '<rootDir>/libs/$1/src/$2.ts',
    '^@countersign/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  testTimeout: 30_000,
  maxWorkers: 2,
  forceExit: false,
};
