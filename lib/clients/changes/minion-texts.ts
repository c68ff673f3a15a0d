import { type PlannedChange, write } from '../../core/decision.ts';
import type { Fingerprint } from '../../core/ids.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { type MinionText, minionTextRef } from '../client.ts';

/** The rows that find a client system by the fingerprints of its minion's key as newer versions of Salt print it. */
export async function foundByTexts(
  reading: Reading,
  { ofText = [] }: { readonly ofText?: readonly Fingerprint[] | undefined },
  fp: Fingerprint,
): Promise<PlannedChange[]> {
  const texts = ofText.map((one) => minionTextRef(one));
  const rows = await reading.rows(texts);
  return texts.map((ref, n) => ({
    ref,
    readRev: rows[n]?.rev ?? 0,
    decision: write<MinionText, never>({ of: fp }, `another key of ${fp}`),
    besides: true,
  }));
}
