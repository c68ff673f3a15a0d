import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { minionKeyOf, minionOf } from '../../tools/support/minion-keys.ts';

/**
 * The body of a call, in which a minion that is only named has a key by which it proves itself: histories from before such proofs name
 * keys that nobody has. The same minion has the same key each time.
 */
export function withProof(body: string): string {
  if (!body.includes('"minion"')) return body;
  const said = JSON.parse(body) as { publicKey: string; minion: { id: string; publicKey: string } };
  return JSON.stringify({ ...said, minion: minionOf(said.minion.id, minionKeyOf(said.minion.publicKey), fingerprintOf(said.publicKey)) });
}
