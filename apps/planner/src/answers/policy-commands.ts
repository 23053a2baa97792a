import type { ActivateGrant, Command, GrantChecked, ReserveGrant } from '@countersign/contracts';
import type { CommandClient } from '@countersign/transport-jetstream';

/** What planner asks of policy: whether a grant would hold, and to put a standing one in force. */
export interface PolicyCommands {
  /**
   * Before the answer that gives it. For scope always it is reserved for `LIMITS.reservationMs`; for scope session it is only looked at.
   * @throws GateError GRANT_INEFFECTIVE, STANDING_RULE_CONFLICT, POLICY_STORE_READ_ONLY, NARROW_REQUIRED, NARROW_INVALID, UNAVAILABLE, TIMEOUT
   */
  reserve(command: Command<ReserveGrant>): Promise<GrantChecked>;
  /** After it; the same again changes nothing. @throws GateError RESERVATION_LAPSED, UNAVAILABLE, TIMEOUT */
  activate(command: Command<ActivateGrant>): Promise<void>;
}

export const policyCommandsOver = (client: CommandClient): PolicyCommands => ({
  reserve: (command) => client.call('policy.reserve-grant', command),
  activate: async (command) => { await client.call('policy.activate-grant', command); },
});
