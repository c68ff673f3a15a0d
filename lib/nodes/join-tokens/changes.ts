import { type IsMade, type Made, madeView, revokeMade, statesIn } from '../../access/made.ts';
import { admissionLists } from '../../ports/table/keys.ts';
import type { Shell } from '../../runtime/shell.ts';
import { decide } from './decide.ts';
import { type JoinToken, joinTokenRef, statusOf } from './join-token.ts';

/** The valid join tokens that were made with credentials about to end, each with the function that ends it. */
export async function joinTokensMade(shell: Shell, isMade: IsMade): Promise<Made[]> {
  const tokens = await statesIn<JoinToken>(shell, admissionLists.tokens);
  return tokens
    .filter((token) => statusOf(token, shell.now()) === 'valid' && isMade(token))
    .map(({ id, nodes, createdAt }) => ({
      view: madeView('join-token', id, nodes, createdAt),
      end: (shell, call) => revokeMade(shell, joinTokenRef(id), call, decide),
    }));
}
