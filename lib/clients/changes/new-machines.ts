import { Refusal } from '../../api/problem.ts';
import { sourceOf } from '../../core/address.ts';
import { nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs, secondMs } from '../../core/time.ts';
import { newKeysPerSourceOf } from '../../deployment/deployment.ts';
import { deploymentOf } from '../../deployment/reads.ts';
import { apply } from '../../runtime/apply.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type NewKeys, newKeysForMs, withOneMoreKey } from '../new-keys.ts';

/**
 * Counts an unknown machine for the network address that it calls from, in a row, so that all environments count
 * together. Costs one write per first knock, and none without a cap. Throws a {@link Refusal} when the cap for the hour
 * is reached, and Later when too many come at once.
 */
export async function countNewMachine(shell: Shell, source: string): Promise<void> {
  const max = newKeysPerSourceOf(await deploymentOf(shell));
  if (max === 0) return;
  const { decision, before } = await apply<NewKeys, { readonly id: string }>(
    shell,
    { noun: 'source', id: sourceOf(source) },
    { id: shell.newId() },
    (counted, _input, now) => {
      const next = withOneMoreKey(counted, max, now);
      const expires = next && { expiresAt: plusMs(next.since, newKeysForMs) };
      return next ? write<NewKeys, never>(next, 'an unknown machine knocked', expires) : nothing('too many unknown machines');
    },
  );
  if (decision.does === 'nothing') throw tooMany(max, plusMs(before!.since, newKeysForMs), shell);
}

/** Refused machines return spread over the minute after the hour has ended, not all at once. */
const comeBackWithinS = 60;

function tooMany(max: number, until: EpochMs, shell: Shell): Refusal {
  const waitS = Math.ceil((until - shell.now()) / secondMs) + Math.floor(shell.random() * comeBackWithinS);
  return new Refusal(
    'onboarding-rate',
    `${max} new machines knocked from this network address within an hour; an administrator can allow more`,
    {
      headers: { 'retry-after': String(waitS) },
    },
  );
}
