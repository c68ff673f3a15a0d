import { retryAfterMsOf } from '../../lib/api/backoff.ts';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { problemTypeOf } from '../../lib/api/problem.ts';
import { clientHeaders, clientRoutes } from '../../lib/clients/routes.ts';
import { Fqdn, type ZoneName } from '../../lib/core/ids.ts';
import { secondMs } from '../../lib/core/time.ts';
import type { Action } from './decide.ts';
import type { Input } from './hear.ts';
import type { MinionProof } from './minion.ts';
import { parseWatch } from './watch.ts';

/** The machine that knocks, as its daemon describes it. */
export type Machine = {
  readonly fp: string;
  readonly publicKey: string;
  readonly fqdn: string;
  readonly machineId: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  /**
   * This start of the daemon, at random and stored nowhere: a copied disk does not copy it. Two that take turns are two
   * machines with one key.
   */
  readonly boot?: string;
  /** The zone that it asks for, until it is accepted. */
  readonly zone?: ZoneName;
  /** The minion beside the daemon, read at every knock because its key may appear, disappear or be replaced. */
  readonly minion?: () => MinionProof | undefined;
  /** An onboarding token, which knocks carry until the machine is accepted. */
  readonly onboardingToken?: string;
};

type Call = Extract<Action, { do: 'knock' | 'status' | 'orphan' }>;
type Calling = {
  readonly api: ApiClient;
  readonly machine: Machine;
  /** Whether this machine is not accepted yet, as far as it knows. */
  readonly isNew: boolean;
  readonly signal: AbortSignal;
  random(): number;
};

/** Makes one call and gives its outcome as an input. Does not reject when Muster is unreachable. */
export async function call(action: Call, calling: Calling): Promise<Input> {
  const random = calling.random();
  try {
    const answer = await sent(action, calling);
    const { headers } = answer;
    if (!answer.ok) {
      const type = problemTypeOf(answer.problem);
      const meaning = meanings[type];
      const why = `${action.do} was refused (${type}): ${answer.problem.detail}${meaning === undefined ? '' : `; ${meaning}`}`;
      // A route that answers only to a valid token refuses a call without one; a knock gets one.
      const unknown = type === 'unknown-system' || (action.do !== 'knock' && type === 'signature-missing');
      return { type: 'failed', call: action.do, why, unknown, retryAfterMs: retryAfterMsOf(headers), random };
    }
    const common = { call: action.do, ...headerFields(headers), random };
    if (action.do !== 'orphan') return { type: 'byte', byte: answer.body as '0' | '1' | '2' | '3', ...common };
    if (answer.status === 204) return { type: 'no-place', ...common, nextMs: retryAfterMsOf(headers) || (common.nextMs ?? 0) };
    return { type: 'place', fqdn: Fqdn.parse(answer.body), ...common };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { type: 'failed', call: action.do, why: error.message, unknown: false, retryAfterMs: 0, random };
  }
}

/** The meaning of a refusal on this machine, and what its operator can do about it. */
const meanings: Readonly<Record<string, string>> = {
  'signature-invalid':
    'the signature does not verify: this may be another Muster than the one in deployment.json; if that is intended, remove the file',
  'clock-skew': "this machine's clock is more than five minutes off, and Muster's clock could not be learned",
  'key-in-use': 'this key belongs to a node; remove identity.json, and the machine makes a key of its own',
  'proof-invalid': "the proof of the minion's key does not verify: check --minion-key",
  'unsupported-key': 'identity.json holds no usable key; remove the file, and the machine makes a new one',
  'weak-key': 'the key in identity.json can be guessed; remove the file, and the machine makes a new one',
  'onboarding-rate':
    'too many new machines knock from the address of this one, or with its onboarding token; it tries again at the given time',
};

function sent(action: Call, { api, machine, isNew, signal }: Calling) {
  if (action.do === 'knock') {
    const { publicKey, fqdn, machineId, facts, tags, boot, zone, onboardingToken } = machine;
    const { confirmed, lost } = action;
    const minion = machine.minion?.();
    const body = {
      publicKey,
      fqdn,
      machineId,
      facts: { ...facts },
      suggestedTags: [...tags],
      ...(boot !== undefined && { boot }),
      ...(minion && { minion }),
      ...(isNew && zone !== undefined && { zone }),
      ...(isNew && onboardingToken !== undefined && { token: onboardingToken }),
      ...(confirmed && { confirmed }),
      ...(lost && { lost }),
    };
    return api(clientRoutes.knock, { body, signal });
  }
  const headers = {
    ...(action.token !== undefined && { [clientHeaders.token]: action.token }),
    ...(machine.boot !== undefined && { [clientHeaders.boot]: machine.boot }),
    ...(action.lostMs !== undefined && { [clientHeaders.lost]: String(Math.max(1, Math.round(action.lostMs / secondMs))) }),
  };
  return api(action.do === 'status' ? clientRoutes.systemStatus : clientRoutes.orphan, { query: { fp: machine.fp }, headers, signal });
}

function headerFields(headers: Headers) {
  const token = headers.get(clientHeaders.token);
  const nextS = Number(headers.get(clientHeaders.next));
  const watch = parseWatch(headers.get(clientHeaders.watch));
  const knock = headers.get(clientHeaders.knock) === '1';
  return { ...(token && { token }), ...(knock && { knock }), ...(nextS > 0 && { nextMs: nextS * secondMs }), ...(watch && { watch }) };
}
