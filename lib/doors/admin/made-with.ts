import type { MadeView } from '../../api/views.ts';
import { type ApiKey, lineageOf, statusOf as statusOfKey } from '../../api-keys/api-key.ts';
import { decideApiKey } from '../../api-keys/decide.ts';
import type { Decision, RowRef } from '../../decision.ts';
import { decide as decideJoinToken } from '../../join-tokens/decide.ts';
import { type JoinToken, statusOf as statusOfJoinToken } from '../../join-tokens/join-token.ts';
import { decide as decideOnboardingToken } from '../../onboarding-tokens/decide.ts';
import type { OnboardingToken } from '../../onboarding-tokens/onboarding-token.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Lineage } from '../../subjects/lineage.ts';
import { admissionLists, apiKeyList, onboardingTokenList } from '../../table/keys.ts';
import type { EpochMs } from '../../units.ts';
import { forgetKey } from '../known-keys.ts';
import { closeShares } from '../token-shares.ts';

/** What was made with a key or by a subject and opens something still, and what ends it. */
export type Made = { readonly view: MadeView; readonly end: (shell: Shell, call: string) => Promise<unknown> };

/** Whether somebody is meant by what a thing was made with, and when. */
type IsMeant = (madeBy: Lineage, createdAt: EpochMs) => boolean;

/** How many rows of a list are read at a time. */
const pageRows = 200;

/**
 * Keys, sessions and tokens that were made with what `isMeant` means, through all generations, and are still good. Lists may lag behind by
 * seconds: what they do not show yet ends all the same, because whatever is shown is asked for what it was made with.
 */
export async function madeWith(shell: Shell, isMeant: IsMeant): Promise<Made[]> {
  const now = shell.now();
  const [keys, joinTokens, onboardingTokens] = await Promise.all([
    rowsIn<ApiKey>(shell, apiKeyList),
    rowsIn<JoinToken>(shell, admissionLists.tokens),
    rowsIn<OnboardingToken>(shell, onboardingTokenList),
  ]);
  const isMade = ({ madeBy, createdAt }: { readonly madeBy?: Lineage | undefined; readonly createdAt: EpochMs }): boolean =>
    madeBy !== undefined && isMeant(madeBy, createdAt);
  return [
    ...keys
      .filter((key) => statusOfKey(key, now) === 'valid' && isMade({ ...key, madeBy: lineageOf(key) }))
      .map(({ id, kind, name, createdAt }) => ({ view: shown(kind, id, name, createdAt), end: endOf('api-key', id, decideApiKey) })),
    ...joinTokens
      .filter((token) => statusOfJoinToken(token, now) === 'valid' && isMade(token))
      .map(({ id, nodes, createdAt }) => ({
        view: shown('join-token', id, nodes, createdAt),
        end: endOf('join-token', id, decideJoinToken),
      })),
    ...onboardingTokens
      .filter((token) => token.revokedAt === undefined && token.expiresAt > now && isMade(token))
      .map(({ id, zone, createdAt }) => ({ view: shown('onboarding-token', id, zone, createdAt), end: endOfOnboarding(id) })),
  ];
}

const shown = (kind: MadeView['kind'], id: string, name: string, createdAt: EpochMs): MadeView => ({
  ...{ kind, id, name, createdAt: new Date(createdAt).toISOString() },
});

async function rowsIn<T>(shell: Shell, list: string): Promise<T[]> {
  const found: T[] = [];
  let after: string | undefined;
  do {
    const page = await shell.table.queryIndex({ index: 'list', pk: list, limit: pageRows, ...(after !== undefined && { after }) });
    const rows = await readAll(
      shell,
      page.items.map(({ key }) => key),
    );
    found.push(...rows.map((row) => stateOf<T>(row, shell.now())).filter((state) => state !== undefined));
    after = page.next;
  } while (after !== undefined);
  return found;
}

type Revoke = { readonly type: 'revoke'; readonly id: string };
const endOf =
  <S>(noun: string, id: string, decide: (state: S | undefined, command: Revoke, now: EpochMs) => Decision<S>) =>
  async (shell: Shell, call: string): Promise<S | undefined> => {
    const ref: RowRef = { noun, id };
    const { state } = await apply<S, Revoke>(shell, ref, { type: 'revoke', id: call }, decide);
    if (noun === 'api-key') forgetKey(shell, id);
    return state;
  };

const endOfOnboarding = (id: string) => async (shell: Shell, call: string) => {
  const token = await endOf<OnboardingToken>('onboarding-token', id, decideOnboardingToken)(shell, call);
  if (token) await closeShares(shell, token);
};
