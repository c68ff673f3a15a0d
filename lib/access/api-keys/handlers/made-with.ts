import { onboardingTokensMade } from '../../../clients/onboarding-tokens/changes.ts';
import type { EpochMs } from '../../../core/time.ts';
import { joinTokensMade } from '../../../nodes/join-tokens/changes.ts';
import { apiKeyList } from '../../../ports/table/keys.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { forgetKey } from '../../known-keys.ts';
import { type IsMade, type Made, madeView, revokeMade, statesIn } from '../../made.ts';
import type { Lineage } from '../../subjects/rows/lineage.ts';
import { type ApiKey, apiKeyRef, lineageOf, statusOf } from '../api-key.ts';
import { decideApiKey } from '../decide.ts';

/** Whether something with this lineage, made at this time, is meant. */
type IsMeant = (madeBy: Lineage, createdAt: EpochMs) => boolean;

/**
 * Keys, sessions and tokens that `isMeant` selects by their lineage, through all generations, and that are still valid.
 * Lists may lag by seconds. Things that are missing from them end all the same, because each use checks the lineage.
 */
export async function madeWith(shell: Shell, isMeant: IsMeant): Promise<Made[]> {
  const isMade: IsMade = ({ madeBy, createdAt }) => madeBy !== undefined && isMeant(madeBy, createdAt);
  const all = await Promise.all([keysMade(shell, isMade), joinTokensMade(shell, isMade), onboardingTokensMade(shell, isMade)]);
  return all.flat();
}

async function keysMade(shell: Shell, isMade: IsMade): Promise<Made[]> {
  const keys = await statesIn<ApiKey>(shell, apiKeyList);
  return keys
    .filter((key) => statusOf(key, shell.now()) === 'valid' && isMade({ ...key, madeBy: lineageOf(key) }))
    .map(({ id, kind, name, createdAt }) => ({
      view: madeView(kind, id, name, createdAt),
      end: async (shell, call) => {
        await revokeMade(shell, apiKeyRef(id), call, decideApiKey);
        forgetKey(shell, id);
      },
    }));
}
