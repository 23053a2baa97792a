import { localStatePath, readLocalState, type LocalState } from '@countersign/app-cli';
import type { Role } from '@countersign/contracts';
import { CountersignClient, CountersignError } from '@countersign/sdk';
import { writePrivateJson } from './private-file.js';

const TENANT = 'local';
const DEMO_AGENT = 'demo-agent';
const DEMO_OPERATOR = 'demo-operator';

const ADMIN = { principal: 'local-admin', roles: ['admin', 'proposer', 'approver', 'author', 'auditor'] as Role[] };

/**
 * Registers this machine's tenant on an empty state, and writes where the gate is and which keys open it. When the log knows
 * the tenant and that file is gone (or was never written, since the gate was killed first), new keys are issued: of the old
 * ones only the hashes are kept.
 */
export async function ensureTenant(folder: string, url: string, operatorKey: string): Promise<{ state: LocalState; isNew: boolean }> {
  const path = localStatePath(folder);
  const known = readLocalState(folder);
  if (known) {
    const state = { ...known, url };
    await writePrivateJson(path, state);
    return { state, isNew: false };
  }
  const { key, isNew } = await adminKey(url, operatorKey);
  const state = await withDemoKeys({ url, tenant: TENANT, key, operatorKey });
  await writePrivateJson(path, state);
  return { state, isNew };
}

async function withDemoKeys(known: Omit<LocalState, 'demo'>): Promise<LocalState> {
  const admin = new CountersignClient({ url: known.url, apiKey: known.key });
  const agent = await admin.issueKey({ principal: DEMO_AGENT, roles: ['proposer'] });
  const operator = await admin.issueKey({ principal: DEMO_OPERATOR, roles: ['approver', 'admin'] });
  return { ...known, demo: { agentKey: agent.key, operatorKey: operator.key } };
}

async function adminKey(url: string, operatorKey: string): Promise<{ key: string; isNew: boolean }> {
  const operator = new CountersignClient({ url, apiKey: operatorKey });
  try {
    const tenant = await operator.createTenant({ tenantId: TENANT, name: 'This machine', localProcesses: true, ...ADMIN });
    return { key: tenant.key.key, isNew: true };
  } catch (error) {
    if (!(error instanceof CountersignError && error.code === 'TENANT_EXISTS')) throw error;
    return { key: (await operator.issueTenantKey(TENANT, ADMIN)).key, isNew: false };
  }
}
