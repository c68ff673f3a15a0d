import { adminRoutes } from '../../lib/admin-contract.ts';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { type Rights, scopesOf } from '../../lib/identity/rights.ts';
import { inFull } from '../../lib/identity/scopes.ts';

/** The scopes that a gateway uses. */
const used: ReadonlySet<string> = new Set(['read', 'number']);

/**
 * What the gateway's key of Muster may do, as one line for its log: whether and where it numbers actions, and what it
 * allows beyond that. If Muster does not tell, the line says why.
 */
export async function whatKeyMay(muster: ApiClient): Promise<string> {
  const rights = await rightsOfKey(muster);
  return typeof rights === 'string' ? `Muster does not say what its key may do: ${rights}` : inWords(inFull(rights));
}

function inWords(rights: Rights): string {
  const { number } = rights;
  const more = scopesOf(rights).filter((scope) => !used.has(scope));
  const others = more.length > 0 ? `; it also has ${more.join(', ')}, which no gateway needs` : '';
  if (number === undefined)
    return `its key has no scope number: actions have no numbers of the cluster, and one for systems of several servers is refused${others}`;
  return `its key may number actions${number === 'all' ? '' : ` in ${number.join(', ')}`}${others}`;
}

/** The rights of the key, or why they are not known. */
async function rightsOfKey(muster: ApiClient): Promise<Rights | string> {
  try {
    const got = await muster(adminRoutes.whoAmI);
    return got.ok ? got.body.rights : (got.problem.detail ?? got.problem.title);
  } catch (error) {
    if (error instanceof Unreachable) return error.message;
    throw error;
  }
}
