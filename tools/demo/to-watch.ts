import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';

/**
 * Prints a link that opens the page of a demo, signed in, for a person at a terminal; nothing elsewhere, because the
 * link is a secret. Throws an Error with the answer when there is none.
 */
export async function tellWhereToWatch(api: ApiClient): Promise<void> {
  if (!process.stdout.isTTY) return;
  const made = await api(contract.createSignInLink, { body: {} });
  if (!made.ok) throw new Error(`there is no link to the page: ${made.problem.detail}`);
  process.stdout.write(`\nWatch it in a browser, which this link signs in, once, within 10 min:\n  ${made.body.link}\n`);
}
