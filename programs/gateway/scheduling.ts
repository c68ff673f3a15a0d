import type { ActionPart } from '../../lib/uyuni/gateway/actions.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import type { Gives } from '../../lib/uyuni/gateway/plan.ts';
import { refusals } from '../../lib/uyuni/gateway/route.ts';
import { collectAnswers } from '../../lib/uyuni/merge/collect.ts';
import type { NodeAnswer, NodeEnd } from '../../lib/uyuni/merge/node-answer.ts';
import type { Fault, Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { type ActionNumbers, NoNumber } from './action-numbers.ts';
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
  let number: number | undefined;
  try {
    [number] = await actions.reserve(1);
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
  return recorded(actions, { first: number ?? 0, parts, isList }, known, options);
}

const isNumber = (id: Value): id is number => typeof id === 'number' && Number.isInteger(id) && id > 0;

/** A node that has answered with no number of an action: what it has done, nobody knows. */
const withoutNumber = ({ node }: NodeEnd): NodeEnd => ({
  ...{ node, ok: false, code: 'malformed', text: 'its answer is not the number of an action', elements: 0, leftOut: 0 },
});

type Taken = { readonly first: number; readonly parts: readonly ActionPart[]; readonly isList: boolean };

async function recorded(
  actions: ActionNumbers,
  { first, parts, isList }: Taken,
  ends: readonly NodeEnd[],
  options: Merging,
): Promise<GatewayAnswer> {
  const groups = isList ? parts.map((part) => [part]) : [parts].filter(({ length }) => length > 0);
  let numbers: readonly number[];
  try {
    numbers = await recordedUnder(actions, first, groups);
  } catch (error) {
    if (!(error instanceof NoNumber)) throw error;
    return faulty(options.form, unrecorded(parts, error), ends);
  }
  if (ends.some(({ ok }) => !ok)) return faulty(options.form, faultOf(ends, numbers, options), ends);
  return whole(options.form, options.form.responseText(isList ? numbers : (numbers[0] ?? 0)), ends);
}

async function recordedUnder(
  actions: ActionNumbers,
  first: number,
  groups: readonly (readonly ActionPart[])[],
): Promise<readonly number[]> {
  if (groups.length === 0) return [];
  const numbers = [first, ...(groups.length > 1 ? await actions.reserve(groups.length - 1) : [])];
  await someAtOnce(groups.entries(), recordedAtOnce, ([n, group]) => actions.record(numbers[n] ?? 0, group));
  return numbers;
}

/** As many actions of a list are recorded at once. */
const recordedAtOnce = 8;

/** As many numbers are named in a fault. */
const namedMax = 10;

/** What is not scheduled, and the number of what is. The fault of a call for one server is that server's own. */
function faultOf(ends: readonly NodeEnd[], numbers: readonly number[], options: Merging): Fault {
  if (ends.length === 1) return options.faultOf(ends);
  const fault = partlyDone(ends, options);
  if (numbers.length === 0) return fault;
  const more = numbers.length > namedMax ? ` and ${numbers.length - namedMax} others` : '';
  return {
    ...fault,
    text: `${fault.text}; what is done is action${numbers.length > 1 ? 's' : ''} ${numbers.slice(0, namedMax).join(', ')}${more}`,
  };
}

/** What is scheduled can be followed and cancelled on its servers alone. */
function unrecorded(parts: readonly ActionPart[], { message }: NoNumber): Fault {
  const where = parts.slice(0, namedMax).map(({ node, id }) => `as action ${id} on ${node}`);
  const more = parts.length > namedMax ? ` and ${parts.length - namedMax} others` : '';
  return faults.noNumber(`it is scheduled ${where.join(', ')}${more}, and Muster has not recorded it: ${message}`);
}
