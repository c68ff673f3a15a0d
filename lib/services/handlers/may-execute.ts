import { type AdminCall, type AdminCaller, lacking } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { ZoneName } from '../../core/ids.ts';
import { holdsIn } from '../../identity/rights.ts';
import { recordAttempt } from '../../runtime/attempts.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { adminServiceRoutes } from '../routes.ts';
import type { ServiceType } from '../rows/service-type.ts';
import { takesCommand } from '../rows/takes-command.ts';

/** Throws a {@link Refusal} where a type takes a command and the caller lacks the scope `execute` in the zone. */
export function needsExecute({ rights }: AdminCaller, zone: ZoneName, type: ServiceType): void {
  if (!takesCommand(type) || holdsIn(rights, 'execute', zone)) return;
  throw lacking(
    'execute',
    `${type.name} takes a command: starting it, configuring it or sending it a message needs the scope execute in zone ${zone}`,
  );
}

type Orders = 'startService' | 'reconfigureService' | 'sendService';

/**
 * A handler of such a call. If the caller lacks a scope that the route does not name, the attempt is recorded for the
 * audit.
 */
export const audited =
  <N extends Orders>(name: N, handle: (call: AdminCall<N>, shell: Shell) => Promise<Answer>) =>
  async (call: AdminCall<N>, shell: Shell): Promise<Answer> => {
    try {
      return await handle(call, shell);
    } catch (error) {
      if (error instanceof Refusal && error.type === 'insufficient-scope') {
        const { actor, source } = call.caller;
        const by = actor && { who: actor.who, ...(actor.key !== undefined && { key: actor.key }) };
        const about = { request: { id: call.request.id, source }, route: adminServiceRoutes[name] };
        await recordAttempt(shell, { ...about, type: error.type, detail: error.message, ...by });
      }
      throw error;
    }
  };
