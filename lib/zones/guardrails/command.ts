import { type Decision, nothing, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { rosterSize, standingAt } from '../map/rows/roster.ts';
import { admitted, standings } from '../map/rows/standing.ts';
import type { ZoneHead } from '../zone.ts';
import { describeFreeze, type Freeze, frozenAs } from './guardrails.ts';
import { isOn } from './now.ts';

/** An operator's command to a zone's guard-rails. */
export type GuardrailCommand =
  /** All nodes that are silent now are lost: no rule holds them any longer. */
  | { readonly type: 'calm'; readonly id: string }
  | { readonly type: 'freeze'; readonly id: string; readonly what: Freeze }
  | { readonly type: 'unfreeze'; readonly id: string };

/** Ends rules 6 to 8 by an operator's command, or sets and ends rule 16. The zone's plan runs at the next sweep. */
export function decideGuardrails(head: ZoneHead | undefined, command: GuardrailCommand, now: EpochMs): Decision<ZoneHead> {
  if (!head) return nothing('there is no such zone');
  if (command.type === 'calm') return calm(head, now);
  const { freeze } = head.brakes;
  const wanted = command.type === 'freeze' ? command.what : undefined;
  if (freeze === wanted) return nothing(wanted ? `already frozen: ${describeFreeze(wanted)}` : 'nothing is frozen');
  const next = { ...head, version: head.version + 1, brakes: frozenAs(head.brakes, wanted) };
  return write<ZoneHead, never>(next, `set by an operator: ${describeFreeze(wanted)}`, { wakeAt: now });
}

function calm(head: ZoneHead, now: EpochMs): Decision<ZoneHead> {
  if (!isOn(head)) return nothing('nothing is held: the zone is calm already');
  const { disrupted: _over, racks: _lit, ...rest } = head.brakes;
  const brakes = { ...rest, endedAt: now, calmedAt: now };
  const codes = Array.from({ length: rosterSize(head.roster) }, (_, index) => standingAt(head.roster, index));
  const silent = codes.filter((code) => code === standings.suspect || code === standings.down).length;
  const data = { zone: head.name, by: 'operator', silent, nodes: codes.filter(admitted).length };
  return write({ ...head, version: head.version + 1, brakes }, `calmed by an operator: the silent nodes (${silent}) are lost`, {
    events: [{ type: 'zone.calm', version: 1, data }],
    wakeAt: now,
  });
}
