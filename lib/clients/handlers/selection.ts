import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { AdminCaller } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import { Fingerprint } from '../../core/ids.ts';
import { EpochMs } from '../../core/time.ts';
import { cursorAt, positionOf } from '../../runtime/cursors.ts';
import type { Shell } from '../../runtime/shell.ts';
import { fleetOf } from '../../search/reads/fleet.ts';
import { byId } from '../../search/segment/page.ts';
import { perCallMax, selectedMax } from '../rows/selected.ts';
import { type Choice, Expect } from '../selection-routes.ts';
import { matching, readQuery } from './matching.ts';

/** The client systems of one call, and what the answer says of those of the next ones. */
export type Selection = {
  readonly fps: readonly Fingerprint[];
  /** How many client systems of the same query earlier calls were for. */
  readonly before: number;
  readonly rest: { readonly next?: string; readonly left?: number };
};

/** Client systems as they are compared: how many, and the digest of their fingerprints. */
const Found = Expect.pick({ total: true, digest: true });
type Found = z.infer<typeof Found>;

/**
 * A position in an order: the fingerprints of this call as base64url of their bytes, how many came before them, and
 * what matched behind them when it was made.
 */
const Position = z.strictObject({ fps: z.string(), before: z.int(), behind: Found });

/** What an order for the same client systems is held against. The fingerprints are in their order. */
export const expectOf = (fps: readonly string[], at: EpochMs): Expect => ({ ...foundIn(fps), at: new Date(at).toISOString() });

const foundIn = (fps: readonly string[]): Found => ({
  total: fps.length,
  digest: createHash('sha256').update(fps.join('')).digest('base64url'),
});

/**
 * The client systems of one call of an order: those that it names, or the next of those that match its query. `order`
 * is all that distinguishes it from other orders.
 *
 * The first call for a query is for none. It compares what matches now with what was expected, and its cursor names the
 * fingerprints of the second call, and so on. Each call compares what matches behind its own fingerprints: what the
 * order changes itself comes before them. So a repeated call is for the same client systems, whether or not they still
 * match. Throws a {@link Refusal} for what was not expected, a query that cannot be read, and a cursor of another
 * order.
 */
export async function selectionOf(
  shell: Shell,
  { systems, query, expect, cursor }: Choice,
  order: string,
  caller: AdminCaller,
): Promise<Selection> {
  if (query === undefined || expect === undefined) return { fps: systems ?? [], before: 0, rest: {} };
  const signature = `${order} ${query} ${JSON.stringify(expect)}`;
  const position = await positionOf(shell, cursor, signature);
  const { fps, before, behind } = position === undefined ? { fps: [], before: 0, behind: expect } : unpacked(position);
  const parsed = readQuery(query, EpochMs.parse(Date.parse(expect.at)), '/query');
  const found = await matching(shell, await fleetOf(shell), caller, {
    query: parsed,
    order: { by: byId, down: false },
    limit: 0,
    idsMax: selectedMax,
  });
  const last = fps.at(-1);
  const coming = (found.ids ?? []).filter((fp) => last === undefined || fp > last);
  refuseOthers(behind, found.ids === undefined ? undefined : foundIn(coming), { done: before + fps.length, total: found.total });
  const next = { fps: coming.slice(0, perCallMax), before: before + fps.length, behind: foundIn(coming.slice(perCallMax)) };
  return {
    fps,
    before,
    rest: { ...(coming.length > 0 && { next: await cursorAt(shell, packed(next), signature) }), left: coming.length },
  };
}

type Place = { readonly fps: readonly string[]; readonly before: number; readonly behind: Found };

const packed = ({ fps, ...rest }: Place): string =>
  JSON.stringify({ ...rest, fps: Buffer.from(fps.join(''), 'hex').toString('base64url') });

function unpacked(position: string): Place & { readonly fps: readonly Fingerprint[] } {
  const { fps, ...rest } = Position.parse(JSON.parse(position));
  const digits = Buffer.from(fps, 'base64url').toString('hex').match(/.{64}/g) ?? [];
  return { ...rest, fps: digits.map((one) => Fingerprint.parse(one)) };
}

type Progress = { readonly done: number; readonly total: number };

/** Refuses to go on when other client systems match than were expected. */
function refuseOthers(expected: Found, found: Found | undefined, { done, total }: Progress): void {
  if (found?.digest === expected.digest && found.total === expected.total) return;
  const now = found?.total ?? total;
  const others = now === expected.total ? 'as many match now, but others' : `${now} match now`;
  const behind = done > 0 ? ` behind the ${done} of earlier calls` : '';
  const detail = `${expected.total} client systems matched${behind} when the query was previewed, and ${others}: preview it again`;
  throw new Refusal('matches-changed', detail, { errors: [{ pointer: '/expect', detail: `${now} match now` }] });
}
