import { type PlannedChange, write } from '../../core/decision.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import type { Shell } from '../../runtime/shell.ts';
import { enteringZone } from '../../zones/changes/gate.ts';
import { type Client, type ClientAlias, type ClientIn, clientRef } from '../client.ts';
import { inheritedId } from '../cluster-ids/changes.ts';
import { decide } from '../decide.ts';
import { systemIn } from '../reads/rows.ts';
import type { Boot } from '../rows/boots.ts';
import type { KnockFacts } from '../rows/command.ts';
import { claimedBefore, inheritClaims } from './claims.ts';
import { foundByTexts } from './minion-texts.ts';

/** A knock of a daemon, signed with its key, which the key of its minion has vouched for. */
export type Introducing = { readonly id: string; readonly who: KnockFacts; readonly boot?: Boot | undefined };

/** Whether a client system was adopted by the key of its minion, and its daemon is still to introduce itself. */
export const isUnintroduced = (client: Client | undefined): client is ClientIn<'accepted'> =>
  client?.standing === 'accepted' && client.publicKey === undefined;

/**
 * The daemon of an adopted machine introduces itself: its key is the client system from now on, with all that it had,
 * and the key of its minion leads to it. Nothing moves.
 */
export async function introduce(
  shell: Shell,
  reading: Reading,
  adopted: ClientIn<'accepted'>,
  { id, who, boot }: Introducing,
): Promise<{ readonly changes: readonly PlannedChange[]; readonly next: Client | undefined; readonly because: string }> {
  const [row, former] = await reading.rows([clientRef(who.fp), clientRef(adopted.fp)]);
  const known = systemIn(row, shell.now());
  const entry = await enteringZone(shell, reading, adopted.zone, clientRef(who.fp));
  if ('shut' in entry) return { changes: [], next: known, because: entry.shut };
  const others = await claimedBefore(shell, reading, who, adopted.fp);
  const decision = decide(known, { type: 'introduce', id, who, boot, of: adopted, others }, shell.now());
  if (decision.does !== 'write') return { changes: [], next: known, because: decision.because };
  const because = `another key of ${who.fp}`;
  const alias = write<ClientAlias, never>({ standing: 'alias', of: who.fp, zone: adopted.zone }, because);
  return {
    next: decision.next,
    because: decision.because,
    changes: [
      { ref: clientRef(who.fp), readRev: row?.rev ?? 0, decision },
      { ref: clientRef(adopted.fp), readRev: former?.rev ?? 0, decision: alias },
      ...entry.changes,
      ...(await foundByTexts(reading, adopted.minion ?? {}, who.fp)),
      ...(await inheritedId(reading, adopted.clusterId, who.fp)),
      ...(await inheritClaims(shell, reading, adopted, decision.next)),
    ],
  };
}
