import { type IsMade, type Made, revokeMade, shownMade, statesIn } from '../../access/made.ts';
import { admissionLists } from '../../ports/table/keys.ts';
import type { Shell } from '../../runtime/shell.ts';
import { decide } from './decide.ts';
import { type JoinToken, joinTokenRef, statusOf } from './join-token.ts';

/** The join tokens that are good and were made with what is about to end, and what ends each. */
export async function joinTokensMade(shell: Shell, isMade: IsMade): Promise<Made[]> {
  const tokens = await statesIn<JoinToken>(shell, admissionLists.tokens);
  return tokens
    .filter((token) => statusOf(token, shell.now()) === 'valid' && isMade(token))
    .map(({ id, nodes, createdAt }) => ({
      view: shownMade('join-token', id, nodes, createdAt),
      end: (shell, call) => revokeMade(shell, joinTokenRef(id), call, decide),
    }));
}
