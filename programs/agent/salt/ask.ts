import { type Answered, type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import { type KeyVerdict, keysAskedMax } from '../../../lib/clients/systems/routes.ts';
import type { NodeId } from '../../../lib/core/ids.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { MinionKey } from './keys.ts';

/** How many keys an older Muster is asked about in one pass, because each is a call. */
const singlyMax = 20;

/** The refusals of a Muster that has no route for many keys at once. */
const unknownThere: ReadonlySet<string> = new Set(['not-found', 'wrong-method']);

/** A key, and Muster's verdict on it. */
export type Answer = readonly [MinionKey, KeyVerdict];

/**
 * Asks Muster about keys, {@link keysAskedMax} a call, and gives each call's verdicts as they come. A Muster that is
 * older than that call is asked about the first {@link singlyMax} one by one. Throws {@link Unreachable} when Muster
 * does not answer, or refuses.
 */
export async function* verdictsOn(api: ApiClient, id: NodeId, keys: readonly MinionKey[]): AsyncGenerator<readonly Answer[]> {
  for (let at = 0; at < keys.length; at += keysAskedMax) {
    const some = keys.slice(at, at + keysAskedMax);
    const answers = await inOneCall(api, id, some);
    if (!answers) return yield* oneByOne(api, id, keys.slice(0, singlyMax));
    yield some.flatMap((key, i): Answer[] => (answers[i] ? [[key, answers[i]]] : []));
  }
}

/** The answers in the order of the keys; undefined from a Muster that does not know the call. */
async function inOneCall(api: ApiClient, id: NodeId, keys: readonly MinionKey[]): Promise<readonly KeyVerdict[] | undefined> {
  const answer = await orNone(api(nodeRoutes.askAboutKeys, { params: { id }, body: { fingerprints: keys.map(({ fp }) => fp) } }));
  if (!answer) return undefined;
  if (answer.ok) return answer.body.answers;
  const type = problemTypeOf(answer.problem);
  if (unknownThere.has(type)) return undefined;
  throw new Unreachable(`Muster refused a question about keys: ${type}`);
}

/**
 * Undefined where the answer is not one of Muster's: on AWS the gateway of an older Muster answers a path that it does
 * not have. If Muster cannot be reached at all, the next question throws.
 */
async function orNone(asked: Promise<Answered<typeof nodeRoutes.askAboutKeys>>) {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    throw error;
  }
}

async function* oneByOne(api: ApiClient, id: NodeId, keys: readonly MinionKey[]): AsyncGenerator<readonly Answer[]> {
  for (const key of keys) {
    const answer = await api(nodeRoutes.system, { params: { id, fp: key.fp } });
    if (!answer.ok) throw new Unreachable(`Muster refused a question about the key of ${key.id}: ${problemTypeOf(answer.problem)}`);
    yield [[key, answer.body]];
  }
}
