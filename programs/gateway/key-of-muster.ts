import { adminRoutes } from '../../lib/admin-contract.ts';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { scopesOf } from '../../lib/identity/rights.ts';
import { inFull } from '../../lib/identity/scopes.ts';

/** The scopes that a gateway uses. */
const used: ReadonlySet<string> = new Set(['read', 'number']);

/**
 * What the gateway's key of Muster may do, as one line for its log: whether and where it numbers actions, and what it
 * allows beyond that. Says so where Muster does not tell.
 */
export async function whatKeyMay(muster: ApiClient): Promise<string> {
  const rights = await rightsOfKey(muster);
  if (typeof rights === 'string') return `Muster does not say what its key may do: ${rights}`;
  const { number } = inFull(rights);
  if (number === undefined)
    return 'its key only reads: it numbers no actions, and refuses one for systems of several servers; that needs the scope number';
  const where = number === 'all' ? '' : ` in ${number.join(', ')}`;
  const more = scopesOf(rights).filter((scope) => !used.has(scope));
  return `its key may number actions${where}${more.length > 0 ? `, and also ${more.join(', ')}: the scope number alone is enough` : ''}`;
}

async function rightsOfKey(muster: ApiClient) {
  try {
    const got = await muster(adminRoutes.whoAmI);
    return got.ok ? got.body.rights : (got.problem.detail ?? got.problem.title);
  } catch (error) {
    if (error instanceof Unreachable) return error.message;
    throw error;
  }
}
