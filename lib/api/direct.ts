import { textWithin } from '../core/limited-text.ts';
import { answerBytesMax, type Fetching } from './client.ts';
import type { Route } from './route.ts';
import { router } from './router.ts';

/** The header in which a deployment names a second address, for the one call that each machine makes most. */
export const directHeader = 'muster-direct';

/**
 * How long the address may take to answer before the call goes the usual way, in ms: a heartbeat must arrive in time
 * either way.
 */
const answerMs = 3_000;
/** How long calls go the usual way after the address did not answer, in ms. */
const pauseMs = 10 * 60_000;

/** Which calls may go to an address that a deployment names, and what a machine needs for that. */
export type DirectOptions = {
  readonly route: Route;
  /** Whether an address that was named may be called at all: tokens and signatures go there. */
  readonly mayCall: (address: string) => boolean;
  /** This machine's clock, in ms. */
  readonly now: () => number;
  /** A signal that fires after this many ms. */
  readonly after: (ms: number) => AbortSignal;
  /** Reports that the address does not answer. */
  readonly say: (line: string) => void;
  readonly fetching?: Fetching;
};

type Sent = Parameters<Fetching>[1];
type Got = Awaited<ReturnType<Fetching>>;

/**
 * Sends the calls of one route to the address that the deployment named last, in any answer of its own. Every other
 * call goes where it was sent. So does a call that the address does not answer as Muster does: it is made there at
 * once, and only time is lost.
 */
export function directly({ route, mayCall, now, after, say, fetching = fetch }: DirectOptions): Fetching {
  const match = router({ route });
  let address: string | undefined;
  let notBefore = Number.NEGATIVE_INFINITY;
  const learn = ({ headers }: Got): void => {
    const named = headers.get(directHeader);
    address = named !== null && mayCall(named) ? new URL(named).origin : undefined;
  };
  return async (url, init) => {
    const { pathname, search } = new URL(url);
    const found = match(init.method, pathname);
    if (address !== undefined && found && 'name' in found && now() >= notBefore) {
      const signal = AbortSignal.any([init.signal, after(answerMs)]);
      const answer = await answeredBy(`${address}${pathname}${search}`, { ...init, signal }, init.signal, fetching);
      if (typeof answer !== 'string') return answer;
      notBefore = now() + pauseMs;
      say(`${address} does not answer (${answer}); calls go the usual way for ten minutes`);
    }
    const answer = await fetching(url, init);
    if (isMuster(answer)) learn(answer);
    return answer;
  };
}

/** The whole answer of an address, or the reason why there is none. Throws when the caller gave up. */
async function answeredBy(url: string, init: Sent, ended: AbortSignal, fetching: Fetching): Promise<Got | string> {
  try {
    const answer = await fetching(url, init);
    // Every answer is read to its end: it may be cut off after its head, and its connection would stay taken.
    const text = await textWithin(answer, answerBytesMax);
    if (!isMuster(answer)) return `status ${answer.status}`;
    const { ok, status, headers } = answer;
    return { ok, status, headers, text: async () => text };
  } catch (error) {
    if (ended.aborted) throw error;
    return error instanceof Error ? String((error.cause as Error | undefined)?.message ?? error.message) : String(error);
  }
}

/**
 * Whether an answer is Muster's: a success, or a refusal as problem+json. A gateway in front of a function words its
 * own refusals differently.
 */
const isMuster = ({ ok, headers }: Got): boolean => ok || (headers.get('content-type') ?? '').startsWith('application/problem+json');
