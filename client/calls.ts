import { retryAfterMsOf } from '../lib/api/backoff.ts';
import { type ApiClient, Unreachable } from '../lib/api/client.ts';
import { clientHeaders, clientRoutes } from '../lib/api/client-routes.ts';
import { problemTypeOf } from '../lib/api/problem.ts';
import { Fqdn } from '../lib/ids.ts';
import { secondMs } from '../lib/units.ts';
import type { Action } from './decide.ts';
import type { Input } from './hear.ts';
import { parseWatch } from './watch.ts';

/** Who knocks: what a daemon says of its machine. */
export type Machine = {
  readonly fp: string;
  readonly publicKey: string;
  readonly fqdn: string;
  readonly machineId: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
};

type Call = Extract<Action, { do: 'knock' | 'status' | 'orphan' }>;
type Calling = { readonly api: ApiClient; readonly machine: Machine; readonly signal: AbortSignal; random(): number };

/** Makes one call and gives what came of it as an input; never rejects because Muster is away. */
export async function call(action: Call, calling: Calling): Promise<Input> {
  const random = calling.random();
  try {
    const answer = await sent(action, calling);
    const { headers } = answer;
    if (!answer.ok) {
      const type = problemTypeOf(answer.problem);
      const why = `${action.do} was refused (${type}): ${answer.problem.detail}`;
      return { type: 'failed', call: action.do, why, unknown: type === 'unknown-system', retryAfterMs: retryAfterMsOf(headers), random };
    }
    const said = { call: action.do, ...saidBy(headers), random };
    if (action.do !== 'orphan') return { type: 'byte', byte: answer.body as '0' | '1' | '2' | '3', ...said };
    if (answer.status === 204) return { type: 'no-place', ...said, nextMs: retryAfterMsOf(headers) || (said.nextMs ?? 0) };
    return { type: 'place', fqdn: Fqdn.parse(answer.body), ...said };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { type: 'failed', call: action.do, why: error.message, unknown: false, retryAfterMs: 0, random };
  }
}

function sent(action: Call, { api, machine, signal }: Calling) {
  if (action.do === 'knock') {
    const { publicKey, fqdn, machineId, facts, tags } = machine;
    const { confirmed, lost } = action;
    const body = {
      publicKey,
      fqdn,
      machineId,
      facts: { ...facts },
      suggestedTags: [...tags],
      ...(confirmed && { confirmed }),
      ...(lost && { lost }),
    };
    return api(clientRoutes.knock, { body, signal });
  }
  const headers = {
    ...(action.token !== undefined && { [clientHeaders.token]: action.token }),
    ...(action.lostMs !== undefined && { [clientHeaders.lost]: String(Math.max(1, Math.round(action.lostMs / secondMs))) }),
  };
  return api(action.do === 'status' ? clientRoutes.systemStatus : clientRoutes.orphan, { query: { fp: machine.fp }, headers, signal });
}

function saidBy(headers: Headers) {
  const token = headers.get(clientHeaders.token);
  const nextS = Number(headers.get(clientHeaders.next));
  const watch = parseWatch(headers.get(clientHeaders.watch));
  const knock = headers.get(clientHeaders.knock) === '1';
  return { ...(token && { token }), ...(knock && { knock }), ...(nextS > 0 && { nextMs: nextS * secondMs }), ...(watch && { watch }) };
}
