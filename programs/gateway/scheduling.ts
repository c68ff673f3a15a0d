import { few } from '../../lib/core/few.ts';
import type { ActionPart } from '../../lib/uyuni/gateway/actions.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import type { Gives } from '../../lib/uyuni/gateway/plan.ts';
import { refusals } from '../../lib/uyuni/gateway/route.ts';
import { collectAnswers } from '../../lib/uyuni/merge/collect.ts';
import type { NodeAnswer, NodeEnd } from '../../lib/uyuni/merge/node-answer.ts';
import type { Fault, Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { type ActionNumbers, NoNumber, type ReservedNumber } from './action-numbers.ts';
import { faulty, type GatewayAnswer, type Merging, partlyDone, whole } from './merging.ts';
import { someAtOnce } from './some-at-once.ts';

/** A call that schedules actions: its method, what each node answers, and whether one node alone is asked. */
export type Scheduling = { readonly name: string; readonly gives: Gives; readonly isOne: boolean };

/**
 * The answer to a call that schedules actions: numbers of the cluster in place of those of the nodes. The nodes are
 * asked once a number is there, so that nothing is scheduled which could not be followed, and no node's time runs out
 * while Muster is waited for. What some have scheduled is recorded also if others have failed; the fault then has its
 * number. Undefined where the gateway may have no numbers and the numbers of the nodes will do.
 */
export async function scheduled(
  actions: ActionNumbers,
  { name, gives, isOne }: Scheduling,
  ask: () => readonly NodeAnswer[],
  options: Merging,
): Promise<GatewayAnswer | undefined> {
  let numbers: readonly ReservedNumber[];
  try {
    numbers = await actions.reserve(1);
  } catch (error) {
    if (!(error instanceof NoNumber)) throw error;
    if (!error.isForGood)
      return faulty(options.form, faults.noNumber(`Muster gives no number for an action, and nothing is scheduled: ${error.message}`));
    if (gives !== 'one-action' || isOne) return undefined;
    return faulty(options.form, faults.unsupported(name, `${refusals.oneAction} (${error.message})`));
  }
  const { answers, ends } = await collectAnswers(ask(), options);
  const taken = answers.flatMap(({ node, value }) => ((Array.isArray(value) ? value : [value]) as Value[]).map((id) => ({ node, id })));
  const strange = new Set(taken.filter(({ id }) => !isNumber(id)).map(({ node }) => node));
  const known = ends.map((end) => (end.ok && strange.has(end.node) ? withoutNumber(end) : end));
  const parts = taken.filter((part): part is ActionPart => isNumber(part.id));
  const isList = answers.some(({ value }) => Array.isArray(value)) || (answers.length === 0 && gives === 'lists');
  return recorded(actions, { numbers, parts, isList }, known, options);
}

const isNumber = (id: Value): id is number => typeof id === 'number' && Number.isInteger(id) && id > 0;

/** A node that has answered with no number of an action: what it has done, nobody knows. */
const withoutNumber = ({ node }: NodeEnd): NodeEnd => ({
  ...{ node, ok: false, code: 'malformed', text: 'its answer is not the number of an action', elements: 0, leftOut: 0 },
});

type Taken = { readonly numbers: readonly ReservedNumber[]; readonly parts: readonly ActionPart[]; readonly isList: boolean };

async function recorded(
  actions: ActionNumbers,
  { numbers: reserved, parts, isList }: Taken,
  ends: readonly NodeEnd[],
  options: Merging,
): Promise<GatewayAnswer> {
  const groups = isList ? parts.map((part) => [part]) : [parts].filter(({ length }) => length > 0);
  const { numbers, missing, error } = await recordedUnder(actions, reserved, groups);
  const isPartly = ends.some(({ ok }) => !ok);
  if (error) {
    const others = isPartly ? `; of the servers: ${partlyDone(ends, options).text}` : '';
    return faulty(options.form, unrecorded(missing, numbers, error, others), ends);
  }
  if (isPartly) return faulty(options.form, faultOf(ends, numbers, options), ends);
  return whole(options.form, options.form.responseText(isList ? numbers : (numbers[0] ?? 0)), ends);
}

/** The numbers of what is recorded, what is not, and why that is so. */
type Recorded = { readonly numbers: readonly number[]; readonly missing: readonly ActionPart[]; readonly error?: NoNumber };

async function recordedUnder(
  actions: ActionNumbers,
  reserved: readonly ReservedNumber[],
  groups: readonly (readonly ActionPart[])[],
): Promise<Recorded> {
  const under = new Map<readonly ActionPart[], number>();
  const recordEach = (some: readonly ReservedNumber[], from: number): Promise<void> =>
    someAtOnce(some.entries(), recordedAtOnce, async ([n, one]) => {
      const group = groups[from + n];
      if (!group) return;
      await actions.record(one, group);
      under.set(group, one.number);
    });
  const numbers = (): number[] => groups.flatMap((group) => under.get(group) ?? []);
  try {
    await recordEach(reserved, 0);
    if (groups.length > reserved.length) await recordEach(await actions.reserve(groups.length - reserved.length), reserved.length);
    return { numbers: numbers(), missing: [] };
  } catch (error) {
    if (!(error instanceof NoNumber)) throw error;
    return { numbers: numbers(), missing: groups.filter((group) => !under.has(group)).flat(), error };
  }
}

/** As many actions of a list are recorded at once. */
const recordedAtOnce = 8;

/** As many numbers are named in a fault. */
const namedMax = 10;

/** What is not scheduled, and the number of what is. The fault of a call for one server is that server's own. */
function faultOf(ends: readonly NodeEnd[], numbers: readonly number[], options: Merging): Fault {
  if (ends.length === 1) return options.faultOf(ends);
  const fault = partlyDone(ends, options);
  return { ...fault, text: `${fault.text}${beingActions('done', numbers)}` };
}

/** The numbers of what is there, as the end of a fault's text; nothing for none. */
function beingActions(what: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? '' : `; what is ${what} is action${numbers.length > 1 ? 's' : ''} ${listed(numbers)}`;
}

const listed = (all: readonly (string | number)[]): string => few(all.map(String), namedMax);

/**
 * What is not recorded can be followed and cancelled on its servers alone; what is has a number. `others`: what became
 * of it on servers that have no part, if any has none.
 */
function unrecorded(missing: readonly ActionPart[], numbers: readonly number[], { message }: NoNumber, others: string): Fault {
  const where = listed(missing.map(({ node, id }) => `as action ${id} on ${node}`));
  return faults.noNumber(
    `it is scheduled ${where}, and Muster has not recorded it: ${message}${beingActions('recorded', numbers)}${others}`,
  );
}
