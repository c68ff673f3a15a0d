import type { Client, ClientAlias } from '../../../../lib/clients/client.ts';
import { hourMs } from '../../../../lib/core/time.ts';
import { nameOf, type Row } from '../../../../lib/ports/table/table.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';

/** Every move of a row's standing, a repeat included. */
const moves: Readonly<Record<string, readonly string[]>> = {
  // At once where it brings an onboarding token.
  absent: ['pooled', 'accepted', 'alias'],
  pooled: ['pooled', 'accepted', 'banned'],
  // An adopted one, once its daemon has introduced itself.
  accepted: ['accepted', 'banned', 'alias'],
  // What was written about it may be removed, and nothing else.
  banned: ['banned'],
  // The machine that it led to was forgotten.
  alias: ['alias', 'accepted'],
};

/** Who may write rows of client systems: the client's own call, and whoever administrates. */
const writers = /^(knock|admin|host)-/;

/** A fleet costs what its rows are written: once a placement, and never because a node failed. */
export const clientRows: Invariant = {
  name: 'client-rows-are-written-when-something-is-new',
  says: "a client's row moves along its moves, is written by its own calls and by administrators alone, but for whether it is silent, once per placement and confirmation, and at most hourly for a sign of life",
  begin: ({ violated }) => {
    const rows = new Map<string, Row>();
    return {
      committed: (changes) => {
        for (const change of changes) {
          const { after, by } = change;
          if (after.key.sk !== 'client') continue;
          const wrong = wrongly(change, rows);
          if (wrong) violated(`${nameOf(after.key).slice(0, 15)} by ${by} (${after.because}): ${wrong}`);
          rows.set(after.key.pk, after);
        }
      },
    };
  },
};

type Body = Client | ClientAlias;
const bodyOf = (row: Row | undefined): Body | undefined => (row?.gone ? undefined : (row?.body as Body | undefined));

/** A key that nobody accepted may be forgotten, and its row not yet removed. */
const keptBody = (row: Row | undefined, at: number): Body | undefined =>
  row?.expiresAt !== undefined && row.expiresAt <= at + skewMs ? undefined : bodyOf(row);

function wrongly({ at, by, before: rowBefore, after: row }: Committed, rows: ReadonlyMap<string, Row>): string | undefined {
  const before = keptBody(rowBefore, at);
  const after = bodyOf(row)!;
  const isTheirs = isReport(by, before, after) || isSilence(by, before, after) || isAdoption(by, before, row);
  if (!writers.test(by) && !isTheirs) return 'it is not theirs to write';
  const from = before?.standing ?? 'absent';
  if (!moves[from]!.includes(after.standing)) return `it went from ${from} to ${after.standing}`;
  if (before?.standing === 'alias' && after.standing !== 'alias' && keptBody(rows.get(`client#${before.of}`), at))
    return 'the machine that it led to is known';
  if (before?.standing === 'accepted' && after.standing === 'alias' && before.publicKey !== undefined) return 'its daemon had knocked';
  if (!before || before.standing === 'alias' || after.standing === 'alias') return undefined;
  if (before.standing === 'banned') return isOfMetadata(before, after) ? undefined : 'it went from banned to banned';
  const { seenAt: seenBefore, ...restBefore } = before;
  const { seenAt, ...rest } = after;
  const isSame = JSON.stringify(sorted(restBefore)) === JSON.stringify(sorted(rest));
  if (isSame && after.standing !== 'pooled' && seenAt - seenBefore < hourMs - skewMs && !/edited/.test(row.because))
    return `nothing is new, ${seenAt - seenBefore} ms after it was last seen`;
  return before.standing === 'accepted' && after.standing === 'accepted' ? wronglyTold(before, after) : undefined;
}

/** A node may report the metadata of its client systems, and changes nothing else. */
function isReport(by: string, before: Body | undefined, after: Body): boolean {
  return by.startsWith('node-door-') && before?.standing === 'accepted' && after.standing === 'accepted' && isOfMetadata(before, after);
}

/** A node whose systems are adopted makes their rows, and those that share a claim with them hear of it. */
function isAdoption(by: string, before: Body | undefined, { events, body }: Row): boolean {
  if (!by.startsWith('node-door-')) return false;
  if (before === undefined || before.standing === 'alias') return events.some(({ type }) => type === 'client.adopted');
  return JSON.stringify(sorted(withoutShared(before))) === JSON.stringify(sorted(withoutShared(body as Body)));
}

function withoutShared(body: Body): object {
  const { sameMachineId: _id, sameName: _name, ...rest } = body as Client;
  return rest;
}

/** The digests of a node say which of its client systems are silent, and change nothing else. */
function isSilence(by: string, before: Body | undefined, after: Body): boolean {
  if (!/^(heartbeats|node-door|heartbeat-door)-/.test(by) || before?.standing !== 'accepted' || after.standing !== 'accepted') return false;
  const [{ silentSince: _was, ...rest }, { silentSince: _is, ...now }] = [before, after];
  return JSON.stringify(sorted(rest)) === JSON.stringify(sorted(now));
}

/** Whether a row is as it was but for what is kept about its metadata. */
function isOfMetadata(before: Client, after: Client): boolean {
  const [{ metadata: _was, ...rest }, { metadata: _is, ...now }] = [before as Accepted, after as Accepted];
  return JSON.stringify(sorted(rest)) === JSON.stringify(sorted(now));
}

type Accepted = Extract<Client, { standing: 'accepted' }>;

function wronglyTold({ told: before }: Accepted, { told: after }: Accepted): string | undefined {
  if (!before || !after || before.at === after.at) return undefined;
  if (before.index === after.index && before.generation === after.generation) return 'it was told the same place again';
  return after.confirmedAt === undefined ? undefined : 'it was told and confirmed at once';
}

/** A table may hand out names in another order. */
const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [name, sorted(one)]);
};
