import { Refusal } from '../../api/problem.ts';
import type { PlannedChange } from '../../core/decision.ts';
import type { ActionNumber } from '../../core/ids.ts';
import { apply } from '../../runtime/apply.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { type Numbers, nextNumber } from '../../runtime/reserved-numbers.ts';
import type { Shell } from '../../runtime/shell.ts';
import { decideNumbers } from './decide.ts';
import { decidePart, decideThere } from './on-part.ts';
import { type ActionPart, actionNumbersRef, actionRef, actionThereRef } from './rows/action.ts';

/** How many numbers one commit reserves: what an environment has not given when it ends is lost, of 647 million. */
const blockSize = 64;

/** A number of an action that nobody else is given. Throws a {@link Refusal} when there are none left. */
export const newActionNumber = (shell: Shell): Promise<ActionNumber> => nextNumber(shell, 'action-numbers', () => reserve(shell));

async function reserve(shell: Shell): Promise<Numbers> {
  // The caller did not order it: the audit has what is recorded under a number.
  const { actor: _caller, ...own } = shell;
  const { decision } = await apply(own, actionNumbersRef(), { id: shell.newId(), count: blockSize }, decideNumbers);
  if (decision.does !== 'write') throw new Refusal('refused', decision.because);
  return { next: decision.next.next - blockSize, end: decision.next.next };
}

/**
 * What it takes to record that a server has scheduled one more part of an action that Muster itself has ordered. Unlike
 * what a gateway records, such an action gets its parts one by one, as its servers take them.
 */
export async function partScheduled(shell: Shell, reading: Reading, number: ActionNumber, part: ActionPart): Promise<PlannedChange[]> {
  const refs = [actionRef(number), actionThereRef(part.node, part.id)] as const;
  const [row, there] = await reading.rows(refs);
  const now = shell.now();
  return [
    { ref: refs[0], readRev: row?.rev ?? 0, decision: decidePart(stateOf(row, now), part, now), besides: true },
    { ref: refs[1], readRev: there?.rev ?? 0, decision: decideThere(stateOf(there, now), number, now), besides: true },
  ];
}
