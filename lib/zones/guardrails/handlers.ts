import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { apply } from '../../runtime/apply.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundZone } from '../reads/found.ts';
import { forgetZone } from '../reads/zones.ts';
import { zoneRef } from '../zone.ts';
import { decideGuardrails, type GuardrailCommand } from './command.ts';

/** Ends a disruption by an operator's command. */
export const calmZone = ({ params, request, caller }: AdminCall<'calmZone'>, shell: Shell): Promise<Answer> =>
  applyCommand(shell, params.zone, caller, { type: 'calm', id: request.id });

/** Freezes moves, expiry or both. */
export const freezeZone = ({ params, body, request, caller }: AdminCall<'freezeZone'>, shell: Shell): Promise<Answer> =>
  applyCommand(shell, params.zone, caller, { type: 'freeze', id: request.id, what: body.what });

/** Unfreezes a zone. */
export const unfreezeZone = ({ params, request, caller }: AdminCall<'unfreezeZone'>, shell: Shell): Promise<Answer> =>
  applyCommand(shell, params.zone, caller, { type: 'unfreeze', id: request.id });

async function applyCommand(shell: Shell, name: string, caller: AdminCaller, command: GuardrailCommand): Promise<Answer> {
  await foundZone(shell, name, caller);
  const { decision } = await apply(shell, zoneRef(name), command, decideGuardrails);
  forgetZone(shell, name);
  return { status: 202, body: { done: decision.does === 'write', because: decision.because } };
}
