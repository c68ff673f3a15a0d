import { textWithin } from '../core/limited-text.ts';
import { answerBytesMax, type Fetching } from './client.ts';
import type { Route } from './route.ts';
import { router } from './router.ts';

/** The header in which a deployment names an address beside its own, for the one call that each machine makes most. */
export const directHeader = 'muster-direct';

/**
 * How long the address may take to answer before the call goes the usual way: a heartbeat must come in time either way.
 */
const answerMs = 3_000;
/** How long the usual way is gone after the address did not answer. */
const pauseMs = 10 * 60_000;

/** Which calls may go to an address that a deployment names, and what a machine needs for that. */
export type DirectOptions = {
  readonly route: Route;
  /** Whether an address that was named may be called at all: tokens and signatures go there. */
  readonly mayCall: (address: string) => boolean;
  /** This machine's clock, in ms. */
  readonly now: () => number;
  /** A signal that comes after so many ms. */
  readonly after: (ms: number) => AbortSignal;
  /** Says that the address does not answer. */
  readonly say: (line: string) => void;
  readonly fetching?: Fetching;
};

type Sent = Parameters<Fetching>[1];
type Got = Awaited<ReturnType<Fetching>>;

/**
 * Sends the calls of one route to the address that the deployment named last, in any answer of its own; every other
 * call, and those that the address does not answer as Muster does, go where they were sent. Nothing is lost but the
 * time: the same call is made there at once.
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
      say(`${address} does not answer (${answer}); the next ten minutes go the usual way`);
    }
    const answer = await fetching(url, init);
    if (isMuster(answer)) learn(answer);
    return answer;
  };
}

/** The whole answer of an address, or why it is none. Throws when it was the caller who gave up. */
async function answeredBy(url: string, init: Sent, ended: AbortSignal, fetching: Fetching): Promise<Got | string> {
  try {
    const answer = await fetching(url, init);
    // Read to its end, whatever it is: it may be cut off after its head, and its connection would stay taken.
    const text = await textWithin(answer, answerBytesMax);
    if (!isMuster(answer)) return `status ${answer.status}`;
    const { ok, status, headers } = answer;
    return { ok, status, headers, text: async () => text };
  } catch (error) {
    if (ended.aborted) throw error;
    return error instanceof Error ? String((error.cause as Error | undefined)?.message ?? error.message) : String(error);
  }
}

/** A success, or a refusal as Muster words it; what stands in front of a function words its own otherwise. */
const isMuster = ({ ok, headers }: Got): boolean => ok || (headers.get('content-type') ?? '').startsWith('application/problem+json');
