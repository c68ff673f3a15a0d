import { Refusal } from '../../api/problem.ts';
import type { Plan, Read } from '../../core/decision.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { pinsRef } from '../../zones/pins/pins.ts';
import { forgetZone, zoneOf } from '../../zones/reads/zones.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import { revokedRef, zoneRef } from '../../zones/zone.ts';
import { type Client, clientRef } from '../client.ts';
import { type PinCommand, type PinSnapshot, planPins } from '../plan-pins.ts';
import { systemIn } from '../reads/rows.ts';

/** Some client systems of a zone, and an order about their pins; `isMeant`: those of them that it is still for. */
export type PinPart = {
  readonly zone: string;
  readonly fps: readonly string[];
  readonly order: PinCommand;
  readonly isMeant: (client: Client) => boolean;
};

/** The plan that was committed, and the client systems as it found them, in the order of its reasons. */
export type Pinned = { readonly plan: Plan; readonly clients: readonly Read<Client>[] };

/**
 * Pins client systems, or lets them go, in one commit: their rows, the pins of the nodes, and the revocation of their
 * tokens. Throws a {@link Refusal} for a zone that is gone, and Later when the rows stay busy.
 */
export async function pinInZone(shell: Shell, { zone, fps, order, isMeant }: PinPart): Promise<Pinned> {
  let clients: readonly Read<Client>[] = [];
  try {
    const loaded = await zoneOf(shell, zone);
    const plan = await applyPlan(shell, order, async (reading): Promise<Plan> => {
      const rows = await reading.rows(fps.map((fp) => clientRef(fp)));
      clients = rows.flatMap((row) => {
        const body = systemIn(row, shell.now());
        return row && body && isMeant(body) ? [{ body, rev: row.rev }] : [];
      });
      return planned(shell, reading, { zone, loaded, clients, order });
    });
    return { plan, clients };
  } finally {
    forgetZone(shell, zone);
  }
}

type Part = {
  readonly zone: string;
  readonly loaded: LoadedZone | undefined;
  readonly clients: readonly Read<Client>[];
  readonly order: PinCommand;
};

async function planned(shell: Shell, reading: Reading, { zone, loaded, clients, order }: Part): Promise<Plan> {
  const revoked = await reading.row(revokedRef(zone));
  const rows = await pinRows(shell, reading, zone);
  return planPins({ ...rows, clients, loaded, revoked: { body: revoked?.body, rev: revoked?.rev ?? 0 } }, order, shell.now());
}

/** The head of a zone and its pins. Throws a {@link Refusal} for a zone that is gone. */
export async function pinRows(shell: Pick<Shell, 'now'>, reading: Reading, zone: string): Promise<Pick<PinSnapshot, 'head' | 'pins'>> {
  const [headRow, pinsRow] = await reading.rows([zoneRef(zone), pinsRef(zone)]);
  const head = stateOf(headRow, shell.now());
  if (!headRow || !head) throw new Refusal('unknown-zone', `zone ${zone} is gone`);
  const pins = stateOf(pinsRow, shell.now()) ?? { version: 0, nodes: [] };
  return { head: { body: head, rev: headRow.rev, wakeAt: headRow.wakeAt }, pins: { body: pins, rev: pinsRow?.rev ?? 0 } };
}
