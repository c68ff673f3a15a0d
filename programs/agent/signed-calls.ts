import type { Fetching } from '../../lib/api/client.ts';
import { type SigningFor, signing } from '../../lib/api/signed.ts';
import type { LiveLedger } from './kept-ledger.ts';
import type { Ledger } from './ledger.ts';

/** Wraps a function that makes calls into one that signs them. */
export type Signs = (fetching: Fetching) => Fetching;

type Chance = { now(): number; newNonce(): string };

/**
 * Signs by the ledger of a running agent. The deployment that answered and the offset of its clock go into the ledger.
 */
export const signsBy =
  (live: LiveLedger, { now, newNonce }: Chance): Signs =>
  (fetching) =>
    signing({
      keys: () => live.pair,
      known: () => knownTo(live.ledger),
      learn: ({ deployment, clockAheadMs }) =>
        live.replace({ ...live.ledger, ...(deployment !== undefined && { deployment }), clockAheadMs: Math.round(clockAheadMs) }),
      now,
      newNonce,
      fetching,
    });

/** Signs by a ledger that another process writes: this process does not store what it learns. */
export function signsOnce({ publicKey, privateKey, ...ledger }: Ledger, { now, newNonce }: Chance): Signs {
  const pair = { publicKey, privateKey };
  let known = knownTo(ledger);
  return (fetching) =>
    signing({
      keys: () => pair,
      known: () => known,
      learn: (next) => {
        known = next;
      },
      now,
      newNonce,
      fetching,
    });
}

const knownTo = ({ deployment, clockAheadMs = 0 }: Pick<Ledger, 'deployment' | 'clockAheadMs'>): SigningFor => ({
  deployment,
  clockAheadMs,
});
