import { adminRoutes } from '../../lib/admin-contract.ts';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { ActionNumber } from '../../lib/core/ids.ts';
import type { ActionPart } from '../../lib/uyuni/gateway/actions.ts';
import { type ActionNumbers, NoNumber, type ReservedNumber } from './action-numbers.ts';
import type { Clock } from './deadline.ts';
import { someAtOnce } from './some-at-once.ts';

/** As many numbers as Muster reserves, or looks up, in one call. */
const atOnceMax = 200;
/** How long Muster is left alone each time before it is offered an action again: it may be busy, and a caller waits. */
const pausesMs = [250, 1_000];
/** Calls of Muster at once for one list of actions. */
const callsMax = 4;

type Refused = {
  readonly ok: false;
  readonly status: number;
  readonly problem: { readonly title: string; readonly detail?: string | undefined };
};

/** Why Muster has refused: a key without the scope, or a Muster without numbers of actions, is so for good. */
const refusal = ({ status, problem }: Refused): NoNumber => new NoNumber(problem.detail ?? problem.title, status === 403 || status === 404);

/** Numbers that Muster gives, and keeps for all gateways. `clock` is for pauses. */
export function actionsOfMuster(muster: ApiClient, clock: Pick<Clock, 'after'>): ActionNumbers {
  const call: ApiClient = async (route, sent) => {
    try {
      return await muster(route, sent);
    } catch (error) {
      if (error instanceof Unreachable) throw new NoNumber(error.message, false, { cause: error });
      throw error;
    }
  };
  return {
    reserve: (count) => reserved(call, count),
    record: async (given, parts) => {
      for (const pauseMs of [...pausesMs, undefined]) {
        const failed = await unrecorded(call, given, parts);
        if (!failed) return;
        if (!failed.mayPass || pauseMs === undefined) throw failed.error;
        await new Promise<void>((over) => void clock.after(pauseMs, over));
      }
    },
    partsOf: async (number, signal) => {
      if (!ActionNumber.safeParse(number).success) return undefined;
      const got = await call(adminRoutes.getAction, { params: { number: String(number) }, signal });
      if (got.ok) return got.body.parts;
      if (got.status === 404) return undefined;
      throw refusal(got);
    },
    numbersAt: (node, ids) => numbersAt(call, node, ids),
  };
}

/** Why an action is not recorded, and whether it may be when it is offered again; undefined once it is. */
async function unrecorded(
  call: ApiClient,
  { number, proof }: ReservedNumber,
  parts: readonly ActionPart[],
): Promise<{ readonly error: NoNumber; readonly mayPass: boolean } | undefined> {
  try {
    const got = await call(adminRoutes.recordAction, { params: { number: String(number) }, body: { proof, parts: [...parts] } });
    return got.ok ? undefined : { error: refusal(got), mayPass: got.status >= 500 || got.status === 429 };
  } catch (error) {
    if (!(error instanceof NoNumber)) throw error;
    return { error, mayPass: true };
  }
}

async function reserved(call: ApiClient, count: number): Promise<readonly ReservedNumber[]> {
  const numbers: ReservedNumber[] = [];
  while (numbers.length < count) {
    const got = await call(adminRoutes.reserveActionNumbers, { body: { count: Math.min(count - numbers.length, atOnceMax) } });
    if (!got.ok) throw refusal(got);
    numbers.push(...got.body.numbers);
  }
  return numbers;
}

async function numbersAt(call: ApiClient, node: string, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  const pages = Array.from({ length: Math.ceil(ids.length / atOnceMax) }, (_, n) => ids.slice(n * atOnceMax, (n + 1) * atOnceMax));
  await someAtOnce(pages, callsMax, async (page) => {
    const got = await call(adminRoutes.findActions, { query: { node, ids: page.join(',') } });
    if (!got.ok) throw refusal(got);
    for (const { id, number } of got.body.items) found.set(id, number);
  });
  return found;
}
