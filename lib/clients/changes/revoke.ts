import { Later } from '../../core/errors.ts';
import type { Fingerprint } from '../../core/ids.ts';
import { attemptsMax } from '../../runtime/apply.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { pinsRef } from '../../zones/pins/pins.ts';
import { forgetZone } from '../../zones/reads/zones.ts';
import { revokedRef } from '../../zones/zone.ts';
import { type Client, clientRef } from '../client.ts';
import { planRevocations } from '../plan.ts';
import { clientRow, systemIn } from '../reads/rows.ts';
import { zoneNameOf } from '../reads/seen.ts';
import type { ClientCommand } from '../rows/command.ts';

/** What takes client systems off their nodes, and revokes their tokens. */
export type Revoking = Extract<ClientCommand, { type: 'ban' | 'unregister' }>;

const isPinned = ({ body }: { readonly body: Client }): boolean => body.standing === 'accepted' && body.pin !== undefined;

/** Client systems of one zone, or of none, as they were read; `isSeen`: whether the order may concern one. */
type Part = {
  readonly zone: string | undefined;
  readonly members: readonly Client[];
  readonly order: Revoking;
  readonly isSeen: (client: Client) => boolean;
};

/** What became of each that still belongs to the zone; `moved`: those that do not. */
type Revoked = {
  readonly results: { readonly fp: string; readonly done: boolean; readonly because: string }[];
  readonly moved: Fingerprint[];
};

/**
 * Revokes the members that still belong to this zone, and gives the others as `moved`. A client system that was
 * accepted meanwhile has tokens that its new zone must revoke. One that waits and now asks for another zone is looked
 * up once more.
 */
export async function revokePart(shell: Shell, { zone, members, order, isSeen }: Part): Promise<Revoked> {
  const part = { ...order, id: `${order.id}-${members[0]!.fp.slice(0, 16)}` };
  let results: Revoked['results'] = [];
  let moved: Fingerprint[] = [];
  await applyPlan(shell, part, async (reading) => {
    const rows = await reading.rows(members.map(({ fp }) => clientRef(fp)));
    const all = rows.flatMap((row) => {
      const body = systemIn(row, shell.now());
      return body ? [{ body, rev: row!.rev }] : [];
    });
    const isPart = (client: Client): boolean => zoneNameOf(client) === zone && isSeen(client);
    const clients = all.filter(({ body }) => isPart(body));
    moved = all.filter(({ body }) => !isPart(body)).map(({ body }) => body.fp);
    const revokedRow = zone === undefined ? undefined : await reading.row(revokedRef(zone));
    const pinsRow = zone !== undefined && clients.some(isPinned) ? await reading.row(pinsRef(zone)) : undefined;
    const pins = stateOf(pinsRow, shell.now());
    const planned = planRevocations(
      {
        clients,
        ...(zone !== undefined && {
          zone: {
            name: zone,
            revoked: revokedRow?.body,
            rev: revokedRow?.rev ?? 0,
            ...(pins && { pins: { body: pins, rev: pinsRow!.rev } }),
          },
        }),
      },
      part,
      shell.now(),
    );
    const written = new Set(planned.changes.filter((change) => change.ref.noun === 'client').map((change) => change.ref.id));
    const isDone = (client: Client) => written.has(client.fp) || (order.type === 'ban' && client.standing === 'banned');
    results = clients.map(({ body }, i) => ({ fp: body.fp, done: isDone(body), because: planned.because[i]! }));
    return planned;
  });
  if (zone !== undefined) forgetZone(shell, zone);
  return { results, moved };
}

/**
 * A ban is of the machine: one that already has a row, and then shows the minion of a banned one, is banned too. Gives
 * its row as it is then; undefined if it has none. Throws `Later` while its row keeps moving.
 */
export async function banBeside(shell: Shell, fp: Fingerprint, beside: Fingerprint): Promise<Client | undefined> {
  for (let attempt = 1; ; attempt++) {
    const client = (await clientRow(shell, fp))?.state;
    if (!client || client.standing === 'banned') return client;
    if (attempt > attemptsMax) throw new Later('row.busy', `client ${fp} kept moving through ${attemptsMax} attempts`);
    // One that is accepted, or asks for another zone, at the same moment is not of this zone any more.
    const order = { type: 'ban', id: shell.newId(), beside } as const;
    await revokePart(shell, { zone: zoneNameOf(client), members: [client], order, isSeen: () => true });
  }
}
