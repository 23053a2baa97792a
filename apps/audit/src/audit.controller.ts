import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type {
  ApprovalQuery, ApprovalRow, AskAuditStatus, AskGrantUse, AuditItemQuery, AuditItemRow, AuditPage, AuditPlanQuery, AuditPlanRow, AuditRebuildStatus, AuditStatus,
  Command, GrantPreview, GrantUse, PreviewGrant,
} from '@countersign/contracts';
import { OnCommand } from '@countersign/transport-jetstream';
import { AuditService } from './audit-service.js';

/** Questions to the tables. The tenant is the credential's, never the question's; `whole` and rebuilds are the operator's, which the edge sees to. */
@Controller()
export class AuditController {
  constructor(@Inject(AuditService) private readonly audit: AuditService) {}

  @OnCommand('status')
  status(@Payload() { context, whole }: Command<AskAuditStatus>): Promise<AuditStatus> {
    return this.audit.status(whole === true ? undefined : context.tenant);
  }

  @OnCommand('query-plans')
  queryPlans(@Payload() { context, ...query }: Command<AuditPlanQuery>): Promise<AuditPage<AuditPlanRow>> {
    return this.audit.access.ask((store) => store.queryPlans(context.tenant, query));
  }

  @OnCommand('query-items')
  queryItems(@Payload() { context, ...query }: Command<AuditItemQuery>): Promise<AuditPage<AuditItemRow>> {
    return this.audit.access.ask((store) => store.queryItems(context.tenant, query));
  }

  @OnCommand('query-approvals')
  queryApprovals(@Payload() { context, ...query }: Command<ApprovalQuery>): Promise<AuditPage<ApprovalRow>> {
    return this.audit.access.ask((store) => store.queryApprovals(context.tenant, query, new Date()));
  }

  @OnCommand('grant-use')
  grantUse(@Payload() { context, ...asked }: Command<AskGrantUse>): Promise<GrantUse> {
    return this.audit.access.ask((store) => store.grantUse(context.tenant, asked));
  }

  @OnCommand('preview-grant')
  previewGrant(@Payload() { context, ...asked }: Command<PreviewGrant>): Promise<GrantPreview> {
    return this.audit.access.ask((store) => store.previewGrant(context.tenant, asked));
  }

  @OnCommand('rebuild')
  rebuild(): Promise<AuditRebuildStatus> {
    return this.audit.startRebuild();
  }

  @OnCommand('rebuild-status')
  rebuildStatus(): Promise<AuditRebuildStatus> {
    return this.audit.rebuildStatus();
  }
}
