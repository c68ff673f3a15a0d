import { verify } from 'node:crypto';
import { verifyingKey } from '../../lib/core/public-key.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { newKeyPair } from '../../lib/identity/key-pair.ts';
import { isSignedBy, readSignature, type SignatureClaim, type SignedCall, signerOf } from '../../lib/identity/signature.ts';
import { Buckets, usualRates } from '../../lib/runtime/rates.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, nsPerCall, spread } from './rounds.ts';

/** The number of keys that take turns, so that no processor's cache holds the traces of verifying with each. */
const machines = 1_000;
const repeats = { calls: machines, rounds: 9 };
/** Most of the cost of a signed call should be the curve's arithmetic, which no code of ours can make cheaper. */
const target = { atLeast: 0.75 };

type Sent = { readonly call: SignedCall; readonly header: (name: string) => string | undefined };

const nowS = Math.floor(Date.now() / 1000);
const at = (n: number) => ({ deployment: 'bench', createdS: nowS, nonce: `nonce-${n}`.padEnd(24, '-') });

/** A heartbeat of each machine, signed, as a handler gets it. */
function calls(): { sent: Sent[]; pairs: ReturnType<typeof newKeyPair>[] } {
  const pairs = Array.from({ length: machines }, newKeyPair);
  const sent = pairs.map((pair, n): Sent => {
    const call = { method: 'POST', path: `/nodes/n${n}/heartbeat`, query: '', body: JSON.stringify({ id: `report-${n}`, seq: n }) };
    const headers = signerOf(pair).sign(call, at(n));
    return { call, header: (name) => headers[name] };
  });
  return { sent, pairs };
}

function claimOf({ call, header }: Sent): SignatureClaim {
  const read = readSignature({ ...call, header }, { deployment: 'bench', nowS });
  if (!read.ok) throw new Error(read.detail);
  return read.claim;
}

/** Measures two kinds of work in turn, because the load of the machine changes from second to second. */
function alternately(one: (n: number) => number, other: (n: number) => number): [number[], number[]] {
  const measured: [number[], number[]] = [[], []];
  for (let round = 0; round < repeats.rounds; round++)
    for (const [at, work] of [one, other].entries()) measured[at]!.push(...nsPerCall(work, { ...repeats, rounds: 1 }));
  return measured;
}

const perSecond = (ns: number): number => 1e9 / ns;
const figure = (what: string, ns: readonly number[]): Figure => ({
  what,
  measured: perSecond(median(ns)),
  unit: '/s and core',
  note: `${(median(ns) / 1000).toFixed(2)} µs of processor time, ${spread(ns, (one) => (one / 1000).toFixed(2))}`,
});

await program(() => {
  const { sent, pairs } = calls();
  const signers = pairs.map(signerOf);
  const keys = pairs.map(({ publicKey }) => verifyingKey(publicKey));
  const claims = sent.map(claimOf);
  const bases = claims.map(({ base }) => Buffer.from(base, 'utf8'));
  const held = (holds: boolean): number => (holds ? 1 : Number.NaN);

  const [bare, withKey] = alternately(
    (n) => held(verify(null, bases[n]!, keys[n]!, claims[n]!.signature)),
    (n) => held(isSignedBy(claimOf(sent[n]!), keys[n]!)),
  );
  const share = median(bare.map((ns, round) => ns / withKey[round]!));
  const without = nsPerCall((n) => held(isSignedBy(claimOf(sent[n]!), verifyingKey(pairs[n]!.publicKey))), repeats);
  const refused = nsPerCall(
    (n) => held(!readSignature({ ...sent[n]!.call, header: sent[n]!.header }, { deployment: 'bench', nowS: 0 }).ok),
    repeats,
  );
  const signing = nsPerCall((n) => signers[n]!.sign(sent[n]!.call, at(n))['signature']!.length, repeats);
  const buckets = new Buckets();
  const counted = nsPerCall((n) => buckets.take(claims[n]!.keyId, usualRates.node, Date.now() as EpochMs), repeats);
  return [
    figure('a signed call read and verified, its key at hand', withKey),
    figure('a signed call read and verified, its key imported each time', without),
    figure('peer: crypto.verify alone, of the same bytes', bare),
    { what: 'share of crypto.verify in it, the key at hand', measured: share, unit: '', target, note: 'round by round' },
    figure('a signed call refused for its clock, no key asked', refused),
    figure('a call signed', signing),
    figure("a call counted against its key's rate", counted),
  ];
});
