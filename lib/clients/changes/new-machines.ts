import { Refusal } from '../../api/problem.ts';
import { sourceOf } from '../../core/address.ts';
import { nothing, write } from '../../core/decision.ts';
import { Latest } from '../../core/latest.ts';
import type { Ref } from '../../core/ref.ts';
import { type EpochMs, plusMs, secondMs } from '../../core/time.ts';
import { newKeysPerSourceOf } from '../../deployment/deployment.ts';
import { deploymentOf } from '../../deployment/reads.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRows } from '../../runtime/read.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { hasRoomFor, type NewKeys, newKeysForMs, partOf, rowOf, rowsFor, withOneMoreKey } from '../new-keys.ts';

/** A machine that nobody knows, and the network address that it calls from. */
type Newcomer = { readonly fp: string; readonly source: string };

/**
 * Counts an unknown machine for the network address that it calls from, in one of the rows of the address, so that all
 * environments count together. Each row counts its part of the cap, and a machine whose own row is full is counted in
 * another: exactly as many as the cap get in, within an hour from the first in each row. Costs one write per first
 * knock, and none without a cap. Throws a {@link Refusal} when the cap for the hour is reached, and Later when too many
 * come at once.
 */
export async function countNewMachine(shell: Shell, { fp, source }: Newcomer): Promise<void> {
  const max = newKeysPerSourceOf(await deploymentOf(shell));
  if (max === 0) return;
  const address = sourceOf(source);
  const full = cached(shell, 'full sources', () => new Latest<string, Full>(fullMax));
  const known = full.get(address);
  if (known && known.max === max && known.until > shell.now()) throw tooMany(max, known.until, shell);
  const own = rowOf(fp, max);
  if (await isCountedIn(shell, address, own, max)) return;
  const counts = await countsOf(shell, address, max);
  for (let step = 1; step < counts.length; step++) {
    const n = (own + step) % counts.length;
    if (hasRoomFor(counts[n], partOf(max, n), shell.now()) && (await isCountedIn(shell, address, n, max))) return;
  }
  const now = shell.now();
  const until = plusMs(now, newKeysForMs - Math.max(...counts.map((one) => now - (one?.since ?? now))));
  full.set(address, { max, until });
  throw tooMany(max, until, shell);
}

/** The rows of an address; the first is the only one of earlier versions, and of a cap that one row counts. */
const rowRef = (address: string, n: number): Ref<NewKeys> => ({ noun: 'source', id: n === 0 ? address : `${address} ${n}` });

/** Counts one more in a row of an address; gives whether it had room. */
async function isCountedIn(shell: Shell, address: string, n: number, max: number): Promise<boolean> {
  const { decision } = await apply(shell, rowRef(address, n), { id: shell.newId() }, (counted, _input, now) => {
    const next = withOneMoreKey(counted, partOf(max, n), now);
    const expires = next && { expiresAt: plusMs(next.since, newKeysForMs) };
    return next ? write<NewKeys, never>(next, 'an unknown machine knocked', expires) : nothing('too many unknown machines');
  });
  return decision.does === 'write';
}

/** The counts in all rows of an address, in their order. */
async function countsOf(shell: Shell, address: string, max: number): Promise<(NewKeys | undefined)[]> {
  const rows = await readRows(
    shell,
    Array.from({ length: rowsFor(max) }, (_, n) => rowRef(address, n)),
  );
  return rows.map((row) => stateOf(row, shell.now()));
}

/** An address whose cap was reached, and until when: a flood from there reads no rows. */
type Full = { readonly max: number; readonly until: EpochMs };

/** How many such addresses an environment remembers, some 100 bytes each. */
const fullMax = 10_000;

/** Refused machines return spread over the minute after the hour has ended, not all at once. */
const comeBackWithinS = 60;

function tooMany(max: number, until: EpochMs, shell: Shell): Refusal {
  const waitS = Math.ceil((until - shell.now()) / secondMs) + Math.floor(shell.random() * comeBackWithinS);
  return new Refusal(
    'onboarding-rate',
    `${max} new machines knocked from this network address within an hour; an administrator can allow more, or make an onboarding token`,
    {
      headers: { 'retry-after': String(waitS) },
    },
  );
}
