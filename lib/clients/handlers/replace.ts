import { type AdminCall, type AdminCaller, lacking } from '../../access/verify-admin.ts';
import { seesSystem } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import { type Plan, type PlannedChange, type Read, type RowRef, write } from '../../core/decision.ts';
import type { ClusterId, Fingerprint } from '../../core/ids.ts';
import { holdsIn } from '../../identity/rights.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { enteringZone } from '../../zones/changes/gate.ts';
import { forgetZone } from '../../zones/reads/zones.ts';
import { type Revoked, revokedRef } from '../../zones/zone.ts';
import { inheritClaims } from '../changes/claims.ts';
import { foundByTexts } from '../changes/minion-texts.ts';
import { type Client, type ClientAlias, type ClientIn, clientRef } from '../client.ts';
import { clusterIdOnce, givenId, inheritedId } from '../cluster-ids/changes.ts';
import { decide } from '../decide.ts';
import { unknownSystem } from '../metadata/reads.ts';
import { replacedAlready } from '../on-accept.ts';
import { withRevocations } from '../plan.ts';
import { systemIn, systemRow } from '../reads/rows.ts';

/**
 * A key that waits takes the place of an accepted one, which is banned: both rows, the revocation of the tokens of the
 * old key, and the records of what the machine claims are one commit. Its metadata stays where it is stored, and the
 * new key leads to it.
 */
export async function replaceSystem({ params, body, request, caller }: AdminCall<'replaceSystem'>, shell: Shell): Promise<Answer> {
  const [old, heir] = [await found(shell, params.fp, caller), await found(shell, body.by, caller)];
  const order = { id: request.id, old: old.fp, heir: heir.fp, newId: clusterIdOnce(shell) };
  const { because } = await applyPlan(shell, order, (reading) => planned(shell, reading, order, caller));
  if (old.zone !== undefined) forgetZone(shell, old.zone);
  return { status: 200, body: { done: true, because: because.join('; ') } };
}

type Order = { readonly id: string; readonly old: Fingerprint; readonly heir: Fingerprint; readonly newId: () => Promise<ClusterId> };

async function planned(shell: Shell, reading: Reading, { id, newId, ...order }: Order, caller: AdminCaller): Promise<Plan> {
  const [oldRow, heirRow] = await reading.rows([clientRef(order.old), clientRef(order.heir)]);
  const [old, heir] = [systemIn(oldRow, shell.now()), systemIn(heirRow, shell.now())];
  if (!old || !seesSystem(caller, old)) throw unknownSystem(order.old);
  if (!heir || !seesSystem(caller, heir)) throw unknownSystem(order.heir);
  if (old.standing === 'banned' && old.replacedBy === heir.fp) return { changes: [], because: [replacedAlready] };
  const accepted = refuseOthers(old, heir);
  if (!holdsIn(caller.rights, 'operate', accepted.zone))
    throw lacking('operate', `it accepts a key into zone ${accepted.zone}: that needs the scope operate there`);
  const read = { old: { body: accepted, rev: oldRow?.rev ?? 0 }, heir: { body: heir, rev: heirRow?.rev ?? 0 } };
  const clusterId = accepted.clusterId ?? (await newId());
  return replacing(shell, reading, read, { id, clusterId });
}

/** The old key, if it is accepted, and the other one waits. Throws a {@link Refusal} for any others. */
function refuseOthers(old: Client, heir: Client): ClientIn<'accepted'> {
  if (old.fp === heir.fp) throw new Refusal('refused', 'a key cannot take its own place: name the key that waits');
  if (old.standing !== 'accepted')
    throw new Refusal('refused', `${old.fqdn} is ${old.standing === 'banned' ? 'banned' : 'not accepted'}: it has no place to give`);
  if (heir.standing !== 'pooled')
    throw new Refusal('refused', `the key that takes its place must wait to be accepted, and ${heir.fqdn} is ${heir.standing}`);
  return old;
}

type Given = { readonly id: string; readonly clusterId: ClusterId };
type Both = { readonly old: Read<ClientIn<'accepted'>>; readonly heir: Read<Client> };

async function replacing(shell: Shell, reading: Reading, { old, heir }: Both, { id, clusterId }: Given): Promise<Plan> {
  const { zone } = old.body;
  const now = shell.now();
  const entry = await enteringZone(shell, reading, zone, clientRef(heir.body.fp));
  if ('shut' in entry) throw new Refusal('unknown-zone', entry.shut);
  const revoked = await reading.row(revokedRef(zone));
  const takes = decide(heir.body, { type: 'replace', id, of: old.body, by: shell.actor?.who, clusterId }, now);
  const ends = decide(old.body, { type: 'ban', id, replacedBy: heir.body.fp }, now);
  const tokens = withRevocations(revoked?.body, [old.body.fp], Math.floor(now / 1000));
  const changes: PlannedChange[] = [
    { ref: clientRef(heir.body.fp), readRev: heir.rev, decision: takes },
    { ref: clientRef(old.body.fp), readRev: old.rev, decision: ends },
    { ref: revokedRef(zone), readRev: revoked?.rev ?? 0, decision: write<Revoked, never>(tokens, '1 replaced') },
    ...entry.changes,
    ...(old.body.clusterId === undefined ? [givenId(clusterId, heir.body.fp)] : await inheritedId(reading, clusterId, heir.body.fp)),
    ...(await inheritClaims(shell, reading, old.body, heir.body)),
    ...(await inheritMinion(shell, reading, old.body.fp, heir.body)),
  ];
  return { changes, because: [takes.because] };
}

/** The fingerprints of a minion that found the old key find the new one, if that has the same minion. */
async function inheritMinion(shell: Shell, reading: Reading, old: Fingerprint, { fp, minion }: Client): Promise<PlannedChange[]> {
  if (!minion) return [];
  const ref: RowRef = clientRef(minion.fingerprint);
  const row = await reading.row(ref);
  const alias = stateOf<Client | ClientAlias>(row, shell.now());
  if (alias?.standing !== 'alias' || alias.of !== old) return [];
  const because = `another key of ${fp}`;
  return [
    { ref, readRev: row?.rev ?? 0, decision: write({ standing: 'alias', of: fp }, because), besides: true },
    ...(await foundByTexts(reading, minion, fp)),
  ];
}

async function found(shell: Shell, fp: Fingerprint, caller: AdminCaller): Promise<Client> {
  const known = (await systemRow(shell, fp))?.state;
  if (!known || !seesSystem(caller, known)) throw unknownSystem(fp);
  return known;
}
