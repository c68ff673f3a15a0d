import type { Check, Unchecked, Verdict } from '../../core/check.ts';
import type { ServiceTypeName, ZoneName } from '../../core/ids.ts';
import { type EpochMs, minuteMs, plusMs } from '../../core/time.ts';
import { withinProcessorTime } from '../../runtime/processor-time.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import type { Caller } from '../../runtime/verify.ts';
import { applyInZone } from '../../zones/changes/gate.ts';
import { type ServiceTypes, typesRef } from '../rows/service-type.ts';
import { decideTypes, type TypesCommand } from '../types.ts';

/**
 * How long an environment remembers that a check by a schema ran out of time, in ms: long enough for every function to
 * see that the type is shut out.
 */
const lateForMs = minuteMs;
/** How many such schemas it remembers; each is 64 KiB at most. */
const lateMax = 100;

type Late = { readonly verdict: Verdict; readonly until: EpochMs };

/**
 * Returns the function that checks by schemas for a caller, within its processor time. A schema whose check has just
 * run out of time is not tried again, unless the check is `afresh`.
 */
export function checksFor(shell: Shell, caller: Caller, { afresh = false } = {}): (asked: Check) => Promise<Verdict> {
  const late = cached(shell, 'schemas that ran out of time', () => new Map<string, Late>());
  return async (asked) => {
    const { verdict } = await withinProcessorTime(shell, caller, async () => {
      const known = afresh ? undefined : late.get(asked.schema);
      // Another request does not extend the time for which a schema is known to be late.
      if (known && known.until > shell.now()) return { verdict: known.verdict, tookMs: 0 };
      if (!shell.checks) throw new Error('this function may not check schemas: its entry in the wiring has no `checks`');
      const checked = await shell.checks.check(asked);
      late.delete(asked.schema);
      if (checked.verdict.is === 'late') late.set(asked.schema, { verdict: checked.verdict, until: plusMs(shell.now(), lateForMs) });
      if (late.size > lateMax) late.delete(late.keys().next().value!);
      return checked;
    });
    return verdict;
  };
}

/** Makes each check once, however often the decision that needs it is repeated. */
export function remembered(check: (asked: Check) => Promise<Verdict>): (asked: Check) => Promise<Verdict> {
  const known = new Map<string, Verdict>();
  return async (asked) => {
    const name = JSON.stringify(asked);
    const verdict = known.get(name) ?? (await check(asked));
    known.set(name, verdict);
    return verdict;
  };
}

/** Makes a decision, and repeats it with a verdict where it needs one. */
export type Judge = <O extends { readonly does: string }>(decide: (verdict: Verdict | undefined) => O) => Promise<Exclude<O, Unchecked>>;

/**
 * The type that a decision is about, which is shut out if a check by its schema runs out of time, and the id of the
 * call.
 */
export type Judged = { readonly zone: ZoneName | string; readonly type: ServiceTypeName; readonly id: string };

/**
 * Decides for a caller with the checks that the decision needs. The same check is made once, however often the decision
 * is repeated. A question of a node shuts no type out: `about` is absent there.
 */
export function judgeFor(shell: Shell, caller: Caller, about?: Judged): Judge {
  const check = remembered(checksFor(shell, caller));
  return async (decide) => {
    const first = decide(undefined);
    if (!isUnchecked(first)) return first as Exclude<typeof first, Unchecked>;
    const verdict = await check(first.check);
    if (verdict.is === 'late' && about) await shutOut(shell, about, first.check, verdict.because);
    const second = decide(verdict);
    if (isUnchecked(second)) throw new Error('a decision that had its verdict asks for another');
    return second as Exclude<typeof second, Unchecked>;
  };
}

const isUnchecked = (decided: { readonly does: string }): decided is Unchecked => decided.does === 'check';

/** Records that a type is shut out, unless it comes with Muster or was put again meanwhile. */
async function shutOut(shell: Shell, { zone, type, id }: Judged, { schema }: Check, because: string): Promise<void> {
  const out = { at: shell.now(), because };
  const command: TypesCommand = {
    type: 'shut-out',
    id: `${id}-shut-out`,
    zone: zone as ZoneName,
    name: type,
    inUse: [],
    checked: schema,
    out,
  };
  await applyInZone<ServiceTypes, TypesCommand>(shell, { ref: typesRef(zone), zone }, command, (state, asked) => {
    const decided = decideTypes(state, asked);
    if (decided.does === 'refuse') return { does: 'nothing', because: decided.because };
    return decided;
  });
}
