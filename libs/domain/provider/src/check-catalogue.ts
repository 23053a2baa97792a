import { CATEGORIES, LIMITS, RISK_CLASSES, TOOL_KINDS, holdsControl, holdsControlInProse, type ToolSchema } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';

/** Operation names become keys and appear in rules; also MCP servers' dots, slashes and colons are taken. */
const OPERATION_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,119}$/;

/**
 * What a provider may advertise (`SEMANTICS` § 1). The first operation that breaks a rule is named in `details`.
 * Whether a JSON Schema compiles is the registering service's to try.
 * @throws GateError PROVIDER_INVALID, KIND_NOT_SUPPORTED
 */
export function checkCatalogue(operations: readonly ToolSchema[]): void {
  if (operations.length === 0) throw new GateError('PROVIDER_INVALID', 'A provider needs at least one operation');
  if (operations.length > LIMITS.providerOperations) {
    throw new GateError('PROVIDER_INVALID', `A provider has at most ${LIMITS.providerOperations} operations; this one has ${operations.length}`);
  }
  const names = new Set<string>();
  for (const operation of operations) {
    checkOperation(operation);
    if (names.has(operation.name)) throw invalid(operation, 'its name is used twice; names are unique over tools and slash commands');
    names.add(operation.name);
  }
}

function checkOperation(operation: ToolSchema): void {
  if (!OPERATION_NAME.test(operation.name)) throw invalid(operation, 'its name is not one');
  if (!TOOL_KINDS.includes(operation.kind)) throw invalid(operation, `its kind is none of ${TOOL_KINDS.join(', ')}`);
  if (!RISK_CLASSES.includes(operation.risk)) throw invalid(operation, `its risk is none of ${RISK_CLASSES.join(', ')}`);
  if (!CATEGORIES.includes(operation.category)) throw invalid(operation, `its category is none of ${CATEGORIES.join(', ')}`);
  checkKindAndRisk(operation);
  checkBounds(operation);
  if (operation.kind === 'interactive') {
    throw new GateError('KIND_NOT_SUPPORTED', `Operation ${operation.name} is interactive; such operations cannot be registered yet`, { operation: operation.name });
  }
}

function checkKindAndRisk(operation: ToolSchema): void {
  const { kind, risk } = operation;
  if (kind === 'resource' && risk === 'read_only') throw invalid(operation, 'a resource changes the world and cannot be read_only');
  if (kind !== 'resource' && risk !== 'read_only') throw invalid(operation, `a ${kind} is read_only`);
  if (kind === 'interactive' && operation.concurrency) throw invalid(operation, 'interactive operations run one at a time and declare no concurrency');
  if (kind !== 'resource' && operation.previewable) throw invalid(operation, 'only resources are previewed');
  if (kind === 'interactive' && operation.timeoutMs !== undefined) throw invalid(operation, 'a person is not given a provider’s deadline');
  if (operation.category === 'slashcommand' && operation.outputSchema) throw invalid(operation, 'slash commands have no output schema');
}

function checkBounds(operation: ToolSchema): void {
  const { timeoutMs, concurrency } = operation;
  if (operation.description.length > LIMITS.descriptionChars) throw invalid(operation, `its description is longer than ${LIMITS.descriptionChars} characters`);
  if (holdsControlInProse(operation.description)) throw invalid(operation, 'its description holds control characters other than tabs and line breaks');
  if (concurrency?.keyFields?.some(holdsControl)) throw invalid(operation, 'a key field’s name holds control characters');
  if (timeoutMs !== undefined && (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS)) {
    throw invalid(operation, `its timeout is not between 1 and ${MAX_TIMEOUT_MS} ms`);
  }
  if (concurrency?.keyFields && (concurrency.keyFields.length === 0 || new Set(concurrency.keyFields).size < concurrency.keyFields.length)) {
    throw invalid(operation, 'its key fields are empty or named twice');
  }
}

/** No call may hold its item longer than an hour. */
const MAX_TIMEOUT_MS = 3_600_000;

function invalid(operation: ToolSchema, why: string): GateError {
  const name = String(operation.name).slice(0, LIMITS.nameChars);
  return new GateError('PROVIDER_INVALID', `Operation ${name} cannot be registered: ${why}`, { operation: name });
}
