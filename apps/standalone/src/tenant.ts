import { localStatePath, readLocalState, type LocalState } from '@countersign/app-cli';
import { CountersignClient, CountersignError } from '@countersign/sdk';
import { writePrivateJson } from './private-file.js';

const TENANT = 'local';
export const DEMO_AGENT = 'demo-agent';
export const DEMO_OPERATOR = 'demo-operator';

/**
 * Registers this machine's tenant on an empty state, and writes where the gate is and which keys open it.
 * @throws Error when the log knows the tenant and the keys are lost: only their hashes are kept
 */
export async function ensureTenant(folder: string, url: string, operatorKey: string): Promise<{ state: LocalState; isNew: boolean }> {
  const known = readLocalState(folder);
  if (known) {
    const state = { ...known, url };
    await writePrivateJson(localStatePath(folder), state);
    return { state, isNew: false };
  }
  const state = await register(folder, url, operatorKey);
  await writePrivateJson(localStatePath(folder), state);
  return { state, isNew: true };
}

async function register(folder: string, url: string, operatorKey: string): Promise<LocalState> {
  const key = await adminKey(folder, url, operatorKey);
  const admin = new CountersignClient({ url, apiKey: key });
  const agent = await admin.issueKey({ principal: DEMO_AGENT, roles: ['proposer'] });
  const operator = await admin.issueKey({ principal: DEMO_OPERATOR, roles: ['approver', 'admin'] });
  return { url, tenant: TENANT, key, operatorKey, demo: { agentKey: agent.key, operatorKey: operator.key } };
}

async function adminKey(folder: string, url: string, operatorKey: string): Promise<string> {
  const operator = new CountersignClient({ url, apiKey: operatorKey });
  try {
    const tenant = await operator.createTenant({
      tenantId: TENANT, name: 'This machine', localProcesses: true, principal: 'local-admin',
      roles: ['admin', 'proposer', 'approver', 'author', 'auditor'],
    });
    return tenant.key.key;
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'TENANT_EXISTS') {
      throw new Error(`The log in ${folder} knows the tenant "${TENANT}", and local.json with its key is gone; a key cannot be shown twice. Move ${folder} away to start from nothing.`);
    }
    throw error;
  }
}
