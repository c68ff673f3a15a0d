import { adminRoutes } from '../../lib/admin-contract.ts';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { type Reach, type Rights, scopesOf } from '../../lib/identity/rights.ts';
import { inFull } from '../../lib/identity/scopes.ts';

/** The scopes that a gateway uses. */
const used: ReadonlySet<string> = new Set(['read', 'number', 'edit']);

/**
 * What the gateway's key of Muster may do, as one line for its log: whether and where it numbers actions and edits
 * common content, and what it allows beyond that. If Muster does not tell, the line says why.
 */
export async function whatKeyMay(muster: ApiClient): Promise<string> {
  const rights = await rightsOfKey(muster);
  return typeof rights === 'string' ? `Muster does not say what its key may do: ${rights}` : inWords(inFull(rights));
}

function inWords(rights: Rights): string {
  const { number, edit } = rights;
  const more = scopesOf(rights).filter((scope) => !used.has(scope));
  return [
    number === undefined
      ? 'its key has no scope number: actions have no numbers of the cluster, and one for systems of several servers is refused'
      : `its key may number actions${where(number)}`,
    edit === undefined
      ? 'it has no scope edit: what changes common content is refused, unless --seat names a server'
      : `it may edit common content${where(edit)}`,
    ...(more.length > 0 ? [`it also has ${more.join(', ')}, which no gateway needs`] : []),
  ].join('; ');
}

const where = (reach: Reach): string => (reach === 'all' ? '' : ` in ${reach.join(', ')}`);

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
