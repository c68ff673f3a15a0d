import type { Fingerprint } from '../../core/ids.ts';
import type { Client } from '../client.ts';

/**
 * The client system that a key stands for now: itself, or the key that took its place, and so on. A key that is banned
 * takes no other's place, so that this ends. Undefined where a row has expired.
 */
export async function heirOf(
  client: Client | undefined,
  read: (fp: Fingerprint) => Promise<Client | undefined>,
): Promise<Client | undefined> {
  let heir = client;
  while (heir?.standing === 'banned' && heir.replacedBy !== undefined) heir = await read(heir.replacedBy);
  return heir;
}
