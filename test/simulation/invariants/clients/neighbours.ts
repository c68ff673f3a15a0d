import type { OnboardingToken } from '../../../../lib/clients/onboarding-tokens/onboarding-token.ts';
import { isShared, paceOf } from '../../../../lib/clients/onboarding-tokens/rows/share.ts';
import type { Rate } from '../../../../lib/core/rate.ts';
import { secondMs } from '../../../../lib/core/time.ts';
import { isSecret, parseSecret } from '../../../../lib/identity/secret-text.ts';
import { defaultZone } from '../../../../lib/zones/zone.ts';
import { narrowRates } from '../../rates.ts';
import type { Answered, Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { metOld } from '../versions.ts';

type Knocked = { readonly publicKey: string; readonly machineId: string; readonly token?: string };

/** A site brings a token so that it need not share the limits of its network address. */
export const neighbours: Invariant = {
  name: 'a-caller-is-never-refused-for-its-neighbours',
  says: 'a machine that brings a valid onboarding token, to an environment that has seen its secret, is refused neither for the calls and new machines of others at its address, nor for calls with the same token from elsewhere',
  begin: ({ violated, world }) => {
    const isOld = metOld(world);
    const tokens = new Tokens();
    /** When each caller called, by what it is counted for: its token at its address, and its key. */
    const calls = new Map<string, number[]>();
    const isOver = (what: string, at: number, rate: Rate): boolean => isSpent(calls.get(what) ?? [], rate, at);
    return {
      committed: (changes) => tokens.take(changes),
      asked: ({ path, sent, source, at }) => {
        if (path !== '/system/knock') return;
        const { publicKey, token } = tokens.hear(sent as Knocked);
        if (token !== undefined) note(calls, `${source} ${token}`, at);
        note(calls, publicKey, at);
      },
      answered: (call) => {
        tokens.made(call);
        const { path, status, signed, source, body, by, askedAt, line } = call;
        if (status !== 429 || path !== '/system/knock' || !signed) return;
        const { publicKey, token: text } = call.sent as Knocked;
        const token = tokens.of(text);
        if (!token || !tokens.isGood(token, call) || isOld() || world().config.capacity !== undefined) return;
        const isItsOwn = body.includes('rate-limited')
          ? isOver(`${source} ${text}`, askedAt, narrowRates.token) || isOver(publicKey, askedAt, narrowRates.client)
          : tokens.isOutOfPace(token, askedAt);
        if (!isItsOwn) violated(`${line} at ${source} brought ${token.id} to ${by}, and was answered ${body}`);
      },
    };
  },
};

function note(all: Map<string, number[]>, what: string, at: number): void {
  const moments = all.get(what) ?? [];
  all.set(what, moments);
  moments.push(at);
}

/** A call is decided on within so long after it was made. */
const decidedWithinMs = 30_000;

/**
 * Whether a bucket may be empty by what was asked of it before a moment: as much as it holds, within the time in which
 * it fills.
 */
function isSpent(moments: readonly number[], { perSecond, burst }: Rate, at: number): boolean {
  const since = at - (burst / perSecond) * secondMs - decidedWithinMs;
  return moments.filter((one) => one >= since).length >= burst;
}

/** Onboarding tokens: their rows, which environments have seen their secrets, and when they accepted machines. */
class Tokens {
  readonly #rows = new Map<string, OnboardingToken>();
  readonly #seenBy = new Set<string>();
  /** By the id of a token, and a space and the name of its share, if it has shares. */
  readonly #accepted = new Map<string, number[]>();
  /** The key that reported each machine id first: a token accepts no other. */
  readonly #machines = new Map<string, string>();

  take(changes: readonly Committed[]): void {
    for (const { before, after, at, by } of changes) {
      const [lead, id = ''] = after.key.pk.split('#');
      if (lead !== 'onboarding-token') continue;
      const isToken = after.key.sk === 'onboarding-token';
      if (isToken) this.#rows.set(id, after.body as OnboardingToken);
      // The row of a token with shares says from the beginning that all its uses are taken.
      if (isToken && (!before || isShared(after.body as OnboardingToken))) continue;
      if (usedIn(after.body) === usedIn(before?.body)) continue;
      this.#seenBy.add(`${by} ${id}`);
      note(this.#accepted, isToken ? id : `${id} ${after.key.sk}`, at);
    }
  }

  /** A knock on its way. */
  hear(knocked: Knocked): Knocked {
    const { machineId, publicKey } = knocked;
    if (!this.#machines.has(machineId)) this.#machines.set(machineId, publicKey);
    return knocked;
  }

  /** The environment that makes a token has seen its secret. */
  made({ method, path, status, by, body }: Pick<Answered, 'method' | 'path' | 'status' | 'by' | 'body'>): void {
    if (method !== 'POST' || path !== '/api/v1/onboarding-tokens' || status !== 201) return;
    this.#seenBy.add(`${by} ${(JSON.parse(body) as { token: { id: string } }).token.id}`);
  }

  /** The token of this secret. */
  of(text: string | undefined): OnboardingToken | undefined {
    const parts = text === undefined ? undefined : parseSecret(text, 'mot');
    if (parts === undefined || typeof parts === 'string') return undefined;
    const token = this.#rows.get(parts.id);
    return token && isSecret(parts.secret, token.hash) ? token : undefined;
  }

  /** Whether a token accepts the machine of this knock, and its environment has seen the secret. */
  isGood(
    { id, uses, revokedAt, expiresAt, zone, madeBy }: OnboardingToken,
    { by, at, sent }: Pick<Answered, 'by' | 'at' | 'sent'>,
  ): boolean {
    const used = this.#sharesOf(id).reduce((sum, moments) => sum + moments.length, 0);
    const isValid = revokedAt === undefined && used < uses && at + skewMs < expiresAt;
    const { machineId, publicKey } = sent as Knocked;
    // What else ends a token, or shuts its zone, is not looked at here.
    const isElse = zone !== defaultZone || (madeBy?.keys.length ?? 0) > 0;
    return isValid && !isElse && this.#machines.get(machineId) === publicKey && this.#seenBy.has(`${by} ${id}`);
  }

  /** Whether some share of a token accepted as many machines lately as it may at once. */
  isOutOfPace(token: OnboardingToken, at: number): boolean {
    return isShared(token) && this.#sharesOf(token.id).some((moments) => isSpent(moments, paceOf(token), at));
  }

  #sharesOf(id: string): number[][] {
    return [...this.#accepted].flatMap(([name, moments]) => (name === id || name.startsWith(`${id} `) ? [moments] : []));
  }
}

const usedIn = (body: unknown): number => (body as { readonly used?: number } | undefined)?.used ?? 0;
