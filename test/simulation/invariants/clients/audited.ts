import { createHash, createHmac } from 'node:crypto';
import type { SystemAction } from '../../../../lib/clients/actions/rows/system-action.ts';
import type { Client, ClientAlias } from '../../../../lib/clients/client.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import type { Desired } from '../../../../lib/nodes/desired/desired.ts';
import type { Key, Row } from '../../../../lib/ports/table/table.ts';
import type { Ticket } from '../../../../lib/uyuni/enter/rows/ticket.ts';
import { sealSecret } from '../../ports/keys.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { Clusters } from '../process-rows.ts';
import { vouchedIn } from '../vouched.ts';

type Entry = {
  readonly n: number;
  readonly at: number;
  readonly zone: string;
  readonly who: string;
  readonly source: string;
  readonly request: string;
  readonly what: { readonly noun: string; readonly id: string; readonly row: string; readonly rev: number };
};
type Link = { readonly entry: Entry; readonly previous: string; readonly hash: string; readonly key?: number };

/**
 * What the admin API writes besides what its caller asked for: answers, uses of keys, the past of what it gives back,
 * what a machine says, what is delivered once more, and who is a resident of a zone, as its own row says that is put
 * down to the caller.
 */
const ownRows = [
  'idempotency#',
  'api-key#',
  'history#',
  'machine-id#',
  'system-name#',
  'minion-text#',
  'cluster-id#',
  'deliveries#',
  'residents#',
];
/**
 * The shares of an onboarding token are closed once its own row says, and is put down to somebody for it, that it is
 * revoked; the row of all webhooks says so of the secret of one, which goes into no feed.
 */
const isOwnRow = ({ pk, sk }: Key): boolean =>
  ownRows.some((own) => pk.startsWith(own)) ||
  sk.startsWith('share#') ||
  sk === 'action-numbers' ||
  (pk.startsWith('webhook#') && sk === 'secret');

/**
 * An order to act on client systems is put down to its caller once, when it is whole: what its calls add before, and
 * that agents are asked for it, is not.
 */
function isOfOrder({ before, after: { key, body } }: Committed): boolean {
  if (key.pk.startsWith('system-action#')) return key.sk !== 'system-action' || (body as SystemAction).state === 'collecting';
  return key.sk === 'desired' && ordered(withoutActs(before?.body)) === ordered(withoutActs(body));
}

const withoutActs = (body: unknown): unknown => {
  const { act: _act, ...rest } = (body ?? { release: [] }) as Partial<Desired>;
  return rest;
};

/** What people did is known for good, and nobody else's doing is put down to them. */
export const audited: Invariant = {
  name: 'what-people-do-is-audited',
  says: 'every row that the admin API writes for somebody says whom it is put down to, but for those of a load of facts that nobody sees yet, and so does that a node started or is ready by what somebody vouched for, and what a ticket has led to at its own server; no other does, and in the end each has its one entry in the chain of its zone and day; every entry names the hash of the one before it and has its own',
  begin: ({ violated }) => {
    const clusters = new Clusters();
    const awaited = new Map<string, string>();
    const known = new Map<string, string>();
    const ends = new Map<string, Link>();
    const vouchers = new Map<string, string>();
    const follow = ({ key, body }: Row): void => {
      const link = body as Link;
      const { entry, previous, hash } = link;
      const last = ends.get(key.pk);
      if (entry.n !== (last?.entry.n ?? 0) + 1) violated(`${key.pk} goes on with number ${entry.n} after ${last?.entry.n ?? 0}`);
      if (last && previous !== last.hash) violated(`number ${entry.n} of ${key.pk} does not name the hash of the one before it`);
      if (hash !== hashOf(link, previous, ordered(entry)))
        violated(`number ${entry.n} of ${key.pk} does not have the hash of what it says`);
      ends.set(key.pk, link);
      const name = nameIn(entry);
      if (known.has(name)) violated(`${name} is in the audit twice`);
      known.set(name, `${entry.who} ${entry.source} ${entry.request}`);
      if (awaited.get(name) !== known.get(name)) violated(`${name} was of ${awaited.get(name)}, and the audit says ${known.get(name)}`);
      awaited.delete(name);
    };
    return {
      heedsMarks: true,
      sent: ({ body }) => {
        const said = vouchedIn(body);
        // What a rule of the bus has handed on says when: also once it was put aside and given back.
        if (said && said.type !== 'node.heartbeat')
          vouchers.set(said.id, said.vouched.at === undefined ? said.vouched.by : `bus:${said.vouched.by}`);
      },
      committed: (changes) => {
        clusters.take(changes);
        for (const change of changes) {
          const { after } = change;
          if (after.key.pk.startsWith('audit#')) follow(after);
          const wrong = wrongIn(change, vouchers.get(after.by));
          if (wrong && !isUnseen(change, clusters) && !isOfOrder(change)) violated(wrong);
          if (isOfSomebody(after)) awaited.set(nameOf(after), `${after.actor!.who} ${after.actor!.source} ${after.actor!.request}`);
        }
      },
      unrest: () => [...awaited.keys()].map((name) => `${name} is not in the audit`),
    };
  },
};

const isOfSomebody = ({ actor }: Row): boolean => actor !== undefined && !/^(node|client):/.test(actor.who);

/** Environments are named for their function, and an embedded host's for none. */
function wrongIn({ by, before, after }: Committed, voucher: string | undefined): string | undefined {
  const row = `${after.key.pk}|${after.key.sk} at rev ${after.rev}`;
  if (voucher !== undefined && !isOwnRow(after.key) && !isRearmed(before, after))
    return after.actor?.who === voucher ? undefined : `${row} was vouched for by ${voucher}, and is put down to ${after.actor?.who}`;
  const isAdmin = by.startsWith('admin-');
  if (isAdmin && !after.actor && !isOwnRow(after.key) && !isAlias(after) && !isRearmed(before, after))
    return `${row} is put down to nobody`;
  if (after.key.sk === 'ticket' && by.startsWith('node-door-')) return wrongByTicket(after, row);
  const isOther = !isAdmin && !by.startsWith('host-') && !after.key.pk.startsWith('attempt#');
  return isOther && isOfSomebody(after) ? `${row} was written by ${by}, and is put down to ${after.actor!.who}` : undefined;
}

/** A browser brings a ticket for the person who asked for it: to its own server, which says what became of it. */
function wrongByTicket({ actor, body }: Row, row: string): string | undefined {
  const { who, node, presented } = body as Ticket;
  const [expected, is] = [presented?.node === node ? who : `node:${presented?.node}`, actor?.who];
  return is === expected ? undefined : `${row} is what a ticket of ${who} led to, and is put down to ${is}`;
}

/** A row that only leads from another key of a client system to its own: what somebody did is put down there. */
const isAlias = ({ key, body }: Row): boolean => key.sk === 'client' && (body as Client | ClientAlias).standing === 'alias';

/**
 * What is written of a load before it is the cluster is in the audit as a whole: when it was begun, and when it became
 * the cluster.
 */
function isUnseen({ before, after: { key, gone, body } }: Committed, clusters: Clusters): boolean {
  const [kind, zone] = key.pk.split('#').map(decodeURIComponent);
  if (kind !== 'cluster') return false;
  if (key.sk === 'load') return before !== undefined && !before.gone && !gone;
  const { load } = body as { readonly load?: string };
  return load !== undefined && !clusters.has({ zone: zone as ZoneName, load });
}

/** When somebody looks at it again is no part of what a row says. */
const isRearmed = (before: Row | undefined, { body, eventSeq }: Row): boolean =>
  before !== undefined && before.eventSeq === eventSeq && ordered(before.body) === ordered(body);

const nameOf = ({ key, rev, at }: Row): string => `${subjectOf(key)}|${key.sk}@${rev} of ${at}`;
const nameIn = ({ at, what: { noun, id, row, rev } }: Entry): string => `${noun}/${id}|${row}@${rev} of ${at}`;

/** A dead letter's partition is a shard; any other names what the row is about. */
function subjectOf({ pk, sk }: Key): string {
  const [noun, id = sk] = (pk.startsWith('dead#') ? sk : pk).split('#').map(decodeURIComponent);
  if (noun === 'zone' && ['stations', 'site-orders', 'seat', 'content'].includes(sk)) return `${sk}/${id}`;
  if (noun === 'node' && sk.startsWith('service#')) return `service/${id}/${decodeURIComponent(sk.split('#')[1]!)}`;
  return noun === 'cluster' ? inCluster(id, sk) : `${noun}/${id}`;
}

/**
 * All of a storage cluster is in one partition: hosts, processes and the look for garbage are things of their own,
 * everything else is the cluster's.
 */
function inCluster(zone: string, sk: string): string {
  const [kind, ...names] = sk.split('#').map(decodeURIComponent);
  if (kind === 'node') return `mero-node/${zone}/${names[0]}`;
  if (kind === 'garbage') return `garbage/${zone}`;
  return kind === 'process' ? `process/${zone}/${names[1]}` : `cluster/${zone}`;
}

/** By the key of the audit, or by none where the version before serves. */
const hashOf = ({ key, entry }: Link, previous: string, told: string): string =>
  key === undefined ? sha256(`${previous}\n${told}`) : hmac(`entry\n${ordered({ entry, previous })}`);
const hmac = (text: string): string => createHmac('sha256', sealSecret).update(text).digest('hex');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** JSON with the names of objects in order. */
const ordered = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
