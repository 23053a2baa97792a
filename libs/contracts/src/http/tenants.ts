import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '../events/catalogue.js';
import { ID_PATTERN, TENANT_ID_PATTERN } from '../ids.js';
import { LIMITS } from '../limits.js';
import { Flag, SomeOf, Text, Texts } from './fields.js';

/** Operator only: for a tenant whose keys are lost. */
export class TenantKeyRequest {
  @Text({ optional: true, max: 80, pattern: ID_PATTERN, description: 'Principal of the key. Default `admin`' })
  principal?: string;

  @SomeOf(ROLES, { optional: true, maxItems: ROLES.length, description: 'Roles of the key. Default `admin`' })
  roles?: Role[];

  @Texts({ optional: true, maxItems: LIMITS.approvalGroups, max: 80, pattern: ID_PATTERN, description: 'Teams that rules may name as approvers, e.g. `security`' })
  groups?: string[];
}

/** Operator only. Principal and roles are those of the tenant's first key. */
export class TenantRequest extends TenantKeyRequest {
  @Text({ max: 32, pattern: TENANT_ID_PATTERN, example: 'acme' })
  tenantId!: string;

  @Text({ max: LIMITS.nameChars })
  name!: string;

  @Flag({ optional: true, description: 'Whether this tenant may register providers that run on the gate’s own machine: server processes, and the built-in `fake`. Default false' })
  localProcesses?: boolean;
}

export class KeyRequest {
  @Text({ max: 80, pattern: ID_PATTERN, description: 'Whom the key stands for; every fact it leads to names this principal' })
  principal!: string;

  @SomeOf(ROLES, { maxItems: ROLES.length })
  roles!: Role[];

  @Texts({ optional: true, maxItems: LIMITS.approvalGroups, max: 80, pattern: ID_PATTERN, description: 'Teams that rules may name as approvers, e.g. `security`' })
  groups?: string[];
}

export class KeyView {
  @ApiProperty()
  keyId!: string;

  @ApiProperty()
  principal!: string;

  @ApiProperty({ enum: ROLES, isArray: true })
  roles!: Role[];

  @ApiProperty({ required: false, type: [String] })
  groups?: string[];
}

/** The only answer that ever holds the secret. */
export class IssuedKeyView extends KeyView {
  @ApiProperty({ description: 'The whole API key, for `Authorization: Bearer`. Shown once; only its hash is kept' })
  key!: string;
}

export class KeyListView {
  @ApiProperty({ type: [KeyView] })
  keys!: KeyView[];
}

export class TenantView {
  @ApiProperty()
  tenantId!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty()
  localProcesses!: boolean;

  @ApiProperty({ type: IssuedKeyView })
  key!: IssuedKeyView;
}
