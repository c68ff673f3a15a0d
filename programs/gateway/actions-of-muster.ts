import { adminRoutes } from '../../lib/admin-contract.ts';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { ActionNumber } from '../../lib/core/ids.ts';
import { type ActionNumbers, NoNumber } from './action-numbers.ts';
import { someAtOnce } from './some-at-once.ts';

/** As many numbers as Muster reserves, or looks up, in one call. */
const atOnceMax = 200;
/** How often an action that was scheduled is offered to Muster before it is given up. */
const attemptsMax = 3;
/** Calls of Muster at once for one list of actions. */
const callsMax = 4;

type Refused = {
  readonly ok: false;
  readonly status: number;
  readonly problem: { readonly title: string; readonly detail?: string | undefined };
};

/** Why Muster has refused: a key without the scope, or a Muster without numbers of actions, is so for good. */
const refusal = ({ status, problem }: Refused): NoNumber => new NoNumber(problem.detail ?? problem.title, status === 403 || status === 404);

/** Numbers that Muster gives, and keeps for all gateways. */
export function actionsOfMuster(muster: ApiClient): ActionNumbers {
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
    record: async (number, parts) => {
      for (let attempt = 1; ; attempt++) {
        const failed = await call(adminRoutes.recordAction, { params: { number: String(number) }, body: { parts: [...parts] } }).then(
          (got) => (got.ok ? undefined : refusal(got)),
          (error: unknown) => {
            if (error instanceof NoNumber) return error;
            throw error;
          },
        );
        if (!failed) return;
        if (failed.isForGood || attempt === attemptsMax) throw failed;
      }
    },
    partsOf: async (number) => {
      if (!ActionNumber.safeParse(number).success) return undefined;
      const got = await call(adminRoutes.getAction, { params: { number: String(number) } });
      if (got.ok) return got.body.parts;
      if (got.status === 404) return undefined;
      throw refusal(got);
    },
    numbersAt: (node, ids) => numbersAt(call, node, ids),
  };
}

async function reserved(call: ApiClient, count: number): Promise<readonly number[]> {
  const numbers: number[] = [];
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
