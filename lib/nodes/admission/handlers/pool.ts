import { Refusal } from '../../../api/problem.ts';
import { sourceOf } from '../../../core/address.ts';
import { type PlannedChange, write } from '../../../core/decision.ts';
import { showFingerprint } from '../../../core/ids.ts';
import { plusMs } from '../../../core/time.ts';
import type { Row } from '../../../ports/table/table.ts';
import type { Reading } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import type { AskingHost, HostCommand } from '../command.ts';
import { decideHost } from '../decide.ts';
import { askAgainMs, type PooledHost, poolRef } from '../rows/pooled-host.ts';
import { countedForMs, type PoolSource, withOneMore } from '../source.ts';

/** A host in the pool as a plan read it. */
export type HeldHost = { readonly row: Row | undefined; readonly host: PooledHost | undefined };

/** The row of a host in the pool, and the host; undefined when it is not there. */
export async function pooledHost(shell: Pick<Shell, 'now'>, reading: Reading, fp: string): Promise<HeldHost> {
  const row = await reading.row(poolRef(fp));
  return { row, host: stateOf<PooledHost>(row, shell.now()) };
}

/** A command's change to a host in the pool; empty when it changes nothing. */
export function poolChange(shell: Pick<Shell, 'now'>, fp: string, { row, host }: HeldHost, command: HostCommand): PlannedChange[] {
  const decision = decideHost(host, command, shell.now());
  return decision.does === 'nothing' ? [] : [{ ref: poolRef(fp), readRev: row?.rev ?? 0, decision }];
}

/**
 * Puts a host into the pool. A new one is counted for its source, in a row, so that every environment counts together.
 * Throws a {@link Refusal} when the source has brought enough.
 */
export async function waits(shell: Pick<Shell, 'now'>, reading: Reading, held: HeldHost, asking: AskingHost): Promise<PlannedChange[]> {
  const changes = poolChange(shell, asking.fp, held, { type: 'ask', host: asking });
  if (held.host) return changes;
  const ref = { noun: 'pool-source', id: sourceOf(asking.source) };
  const row = await reading.row(ref);
  const now = shell.now();
  const before = stateOf<PoolSource>(row, now);
  const counted = withOneMore(before, now);
  if (!counted) throw tooMany(plusMs(before!.since, countedForMs) - now);
  const expiresAt = plusMs(counted.since, countedForMs);
  const decision = write<PoolSource, never>(counted, 'one more host waits in the pool', { expiresAt });
  return [...changes, { ref, readRev: row?.rev ?? 0, decision }];
}

const tooMany = (waitMs: number): Refusal =>
  new Refusal(
    'onboarding-rate',
    'too many new hosts came from this network within the hour; a token or an admission rule lets hosts in without waiting',
    {
      headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
    },
  );

/** The answer to a host in the pool: the fingerprint that an administrator compares, and when to ask again. */
export const pooledAnswer = ({ fp }: AskingHost): Answer => ({
  status: 202,
  body: { pooled: true, fingerprint: showFingerprint(fp), nextMs: askAgainMs },
});
