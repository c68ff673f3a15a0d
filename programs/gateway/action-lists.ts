import { returns } from '../../lib/uyuni/api/returns.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import { type Collected, collectAnswers } from '../../lib/uyuni/merge/collect.ts';
import type { NodeAnswer } from '../../lib/uyuni/merge/node-answer.ts';
import { mergeValues } from '../../lib/uyuni/merge/trees.ts';
import { isStruct, type Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { type ActionNumbers, NoNumber } from './action-numbers.ts';
import type { GatewayEnd } from './asking.ts';
import { faulty, type GatewayAnswer, type Merging, mergedOf } from './merging.ts';

/**
 * Lists of actions as one: the parts of an action of the cluster are one entry with its number, and their counters
 * added up. Actions without a number are left out and counted.
 */
export async function mergeActions(
  actions: ActionNumbers,
  name: string,
  nodes: readonly NodeAnswer[],
  options: Merging,
): Promise<GatewayAnswer> {
  const rule = returns.get(name)?.merge ?? { how: 'concat' };
  const collected = await collectAnswers(nodes, options);
  try {
    return mergedOf(await numbered(actions, collected), options, (values) => mergeValues(rule, values));
  } catch (error) {
    if (!(error instanceof NoNumber)) throw error;
    const fault = faults.noNumber(`Muster does not say which numbers actions have: ${error.message}`);
    return faulty(options.form, fault, collected.ends);
  }
}

type Numbered = { readonly answers: Collected['answers']; readonly ends: readonly GatewayEnd[] };

async function numbered(actions: ActionNumbers, { answers, ends }: Collected): Promise<Numbered> {
  const leftOut = new Map<string, number>();
  const renumbered = await Promise.all(
    answers.map(async ({ node, value }) => {
      if (!isList(value)) return { node, value };
      const numbers = await actions.numbersAt(node, [...new Set(value.flatMap((one) => idOf(one) ?? []))]);
      const kept = value.flatMap((one) => withNumber(one, numbers));
      leftOut.set(node, value.length - kept.length);
      return { node, value: kept };
    }),
  );
  const counted = ends.map((end): GatewayEnd => ({ ...end, leftOut: leftOut.get(end.node) ?? 0, leftOutOf: 'actions' }));
  return { answers: renumbered, ends: counted };
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

function idOf(entry: Value): number | undefined {
  const id = isStruct(entry) ? entry['id'] : undefined;
  return typeof id === 'number' && Number.isInteger(id) && id > 0 ? id : undefined;
}

/** The entry with the number of its action; none for one without. What is no action at all is left to the merge. */
function withNumber(entry: Value, numbers: ReadonlyMap<number, number>): readonly Value[] {
  const id = idOf(entry);
  if (id === undefined || !isStruct(entry)) return [entry];
  const number = numbers.get(id);
  return number === undefined ? [] : [{ ...entry, id: number }];
}
