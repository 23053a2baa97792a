/** Two rules of our own, since what they forbid must be forbidden in every way it can be written. */
import { isBuiltin } from 'node:module';

/** Every import of a module by its name: static, re-exported, dynamic or required. */
const bannedImports = {
  meta: { type: 'problem', schema: [{ type: 'array', items: { type: 'object' } }] },
  create(context) {
    const bans = context.options[0].map((entry) => ({ ...entry, matches: new RegExp(entry.pattern) }));
    const check = (node, source) => {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const broken = bans.find(({ matches, except }) => matches.test(withScheme(source.value)) && !isExcepted(node, source.value, except));
      if (broken) context.report({ node, message: `'${source.value}' may not be imported here: ${broken.why}` });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source),
      ExportNamedDeclaration: (node) => check(node, node.source),
      ExportAllDeclaration: (node) => check(node, node.source),
      ImportExpression: (node) => check(node, node.source),
      TSImportType: (node) => check(node, node.source ?? node.argument?.literal),
      TSExternalModuleReference: (node) => check(node, node.expression),
      CallExpression: (node) => { if (node.callee.name === 'require') check(node, node.arguments[0]); },
    };
  },
};

/** `fs` is `node:fs`. */
const withScheme = (name) => (isBuiltin(name) ? `node:${name.replace(/^node:/, '')}` : name);

/** Named imports of an excepted module pass when every name is on its list. */
function isExcepted(node, source, except = {}) {
  const names = except[withScheme(source)];
  return names !== undefined && node.type === 'ImportDeclaration' && node.specifiers.length > 0
    && node.specifiers.every((specifier) => specifier.type === 'ImportSpecifier' && names.includes(specifier.imported.name));
}

/** `Date.now()`, `new Date()`, `Math.random()`, `crypto.randomUUID()`, timers: whatever two runs would see differently. */
const noClock = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const report = (node, what) => context.report({ node, message: `${what}: time, ids and chance arrive as arguments, so that deciding again gives the same` });
    return {
      MemberExpression(node) {
        const path = `${rootName(node.object)}.${node.property.name ?? node.property.value}`;
        if (AMBIENT.has(path)) report(node, path);
      },
      'NewExpression[callee.name="Date"][arguments.length=0]': (node) => report(node, 'new Date()'),
      'CallExpression[callee.name="Date"]': (node) => report(node, 'Date()'),
      'CallExpression[callee.name=/^set(Timeout|Interval|Immediate)$/]': (node) => report(node, node.callee.name),
    };
  },
};

const AMBIENT = new Set([
  'Date.now', 'Math.random', 'performance.now', 'crypto.randomUUID', 'crypto.getRandomValues', 'process.hrtime', 'process.env',
]);

/** `globalThis.Date` is `Date`. */
const rootName = (node) => (node.type === 'MemberExpression' ? node.property.name : node.name);

export const rules = { 'banned-imports': bannedImports, 'no-clock': noClock };
