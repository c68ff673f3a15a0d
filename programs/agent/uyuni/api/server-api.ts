import * as z from 'zod';
import { textWithin } from '../../../../lib/core/limited-text.ts';
import { printable } from '../../../../lib/core/printable.ts';
import { type EpochMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import type { World } from '../../../../lib/machine/reactor.ts';
import type { Account, AccountFound } from './account.ts';

/** The values of a call by the names that the method has for them. */
export type Values = Readonly<Record<string, unknown>>;
/** What a method answered, or why it refused: in the server's own words. */
export type Answered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** The API of a Uyuni server. Throws {@link ServerDown} when no call can be made; what a method refuses is a value. */
export type ServerApi = {
  /** Calls a method that changes nothing, such as `system.listNotes`. */
  reads<T>(method: string, values: Values, answer: z.ZodType<T>): Promise<Answered<T>>;
  /** Calls a method that changes something. */
  writes(method: string, values: Values): Promise<Answered<unknown>>;
};

/** The server does not answer, or refuses the account: no call can succeed now, and later ones may. */
export class ServerDown extends Error {
  override readonly name = 'ServerDown';
}

/** What the API works with. `account` is read at each login, so that a new password counts at once. */
export type ServerApiOptions = {
  account(): AccountFound;
  readonly fetching: typeof fetch;
  /** Whether a method that only reads is POST all the same, as some are. */
  isPost?(method: string): boolean;
  /** A signal that aborts after so many ms. */
  limit(ms: number): AbortSignal;
  readonly world: Pick<World, 'now'>;
  say(line: string): void;
};

/** The limit of one call. The longest, of a server with 20,000 systems, gives the numbers of all of them. */
const callLimitMs = 30 * secondMs;
/** How much of an answer is read: ten times the longest, in bytes. */
const answerBytesMax = 16 * 2 ** 20;
/** How long no call is made after one that found the server down. */
const againMs = 10 * secondMs;
/** How long no login is tried after one that was refused: a server may lock an account that fails too often. */
const loginAgainMs = 60 * secondMs;

const cookie = 'pxt-session-cookie';
/** What a server answers to a call without a session, or with one that has expired. */
const isWithoutSession = ({ status }: Response): boolean => status === 401 || status === 403;

const Envelope = z.union([
  z.object({ success: z.literal(true), result: z.unknown().optional() }),
  z.object({ success: z.literal(false), message: z.string().catch('it gives no reason') }),
]);

/**
 * The JSON interface of a server, by one session for all calls. It is begun when it is needed, and again when it has
 * expired.
 */
export function serverApi(options: ServerApiOptions): ServerApi {
  const session = new Session(options);
  return {
    reads: async (method, values, answer) => {
      const answered = await session.call(method, options.isPost?.(method) ? 'POST' : 'GET', values);
      if (!answered.ok) return answered;
      const read = answer.safeParse(answered.value);
      return read.success ? { ok: true, value: read.data } : { ok: false, why: `${method} answered in another form than expected` };
    },
    writes: (method, values) => session.call(method, 'POST', values),
  };
}

type Open = { readonly account: Account; readonly key: string };

class Session {
  readonly #options: ServerApiOptions;
  #open: Open | undefined;
  /** The trouble that was logged last, and until when no call is made. */
  #down: { readonly why: string; readonly until: EpochMs } | undefined;

  constructor(options: ServerApiOptions) {
    this.#options = options;
  }

  async call(method: string, verb: 'GET' | 'POST', values: Values): Promise<Answered<unknown>> {
    const { world } = this.#options;
    if (this.#down && world.now() < this.#down.until) throw new ServerDown(this.#down.why);
    const wasOpen = this.#open !== undefined;
    let open = this.#open ?? (await this.#login());
    let response = await this.#fetch(open, method, verb, values);
    if (isWithoutSession(response) && wasOpen) {
      this.#open = undefined;
      open = await this.#login();
      response = await this.#fetch(open, method, verb, values);
    }
    const answered = await this.#read(open, method, response);
    if (this.#down) this.#options.say(`the API of the Uyuni server at ${open.account.address} answers again`);
    this.#down = undefined;
    return answered;
  }

  async #login(): Promise<Open> {
    const found = this.#options.account();
    if (!found.ok) throw this.#isDown(`there is no account on the Uyuni server: ${found.why}`, loginAgainMs);
    const { account } = found;
    const { login, password } = account;
    const response = await this.#fetch({ account }, 'auth.login', 'POST', { login, password });
    const key = new RegExp(`(?:^|,\\s*)${cookie}=([^;,]+)`).exec(response.headers.get('set-cookie') ?? '')?.[1];
    const answered = await this.#read({ account }, 'auth.login', response);
    if (!answered.ok || key === undefined) {
      const why = answered.ok ? 'it gave no session' : answered.why;
      throw this.#isDown(
        `the Uyuni server at ${account.address} refuses the login of ${login} (${why}): correct login and password in the file of --uyuni-account`,
        loginAgainMs,
      );
    }
    this.#open = { account, key };
    return this.#open;
  }

  async #fetch(open: Pick<Open, 'account'> & Partial<Open>, method: string, verb: 'GET' | 'POST', values: Values): Promise<Response> {
    const { fetching, limit } = this.#options;
    const { account, key } = open;
    const url = `${account.address.replace(/\/+$/, '')}/rhn/manager/api/${method.replaceAll('.', '/')}`;
    const query =
      verb === 'GET'
        ? new URLSearchParams(Object.entries(values).map(([name, value]): [string, string] => [name, inQuery(value)])).toString()
        : '';
    try {
      return await fetching(query === '' ? url : `${url}?${query}`, {
        method: verb,
        headers: { 'content-type': 'application/json', ...(key !== undefined && { cookie: `${cookie}=${key}` }) },
        ...(verb === 'POST' && { body: JSON.stringify(values) }),
        signal: limit(callLimitMs),
        redirect: 'manual',
      });
    } catch (error) {
      throw this.#isDown(noAnswer(account, causeOf(error)));
    }
  }

  /** The answer in a response. One that is not of the API comes from what stands before a server that is away. */
  async #read({ account }: Pick<Open, 'account'>, method: string, response: Response): Promise<Answered<unknown>> {
    const text = await textWithin(response, answerBytesMax).catch((error: unknown) => {
      throw this.#isDown(noAnswer(account, causeOf(error)));
    });
    const answer = Envelope.safeParse(parsed(text));
    if (!answer.success && response.status >= 400 && response.status < 500 && response.status !== 404)
      return { ok: false, why: `${method} was refused (status ${response.status})` };
    if (!answer.success) throw this.#isDown(noAnswer(account, `status ${response.status}, and no answer of the API`));
    return answer.data.success ? { ok: true, value: answer.data.result } : { ok: false, why: printable(answer.data.message.slice(0, 400)) };
  }

  /** Remembers that the server is down, and logs it once. */
  #isDown(why: string, forMs = againMs): ServerDown {
    const { say, world } = this.#options;
    if (this.#down?.why !== why) say(`${why}; trying again`);
    this.#down = { why, until: plusMs(world.now(), forMs) };
    this.#open = undefined;
    return new ServerDown(why);
  }
}

/**
 * A value in a query. A server reads each as JSON first, in a lenient manner by which `Repo #2` is `Repo`, so that what
 * could be taken for anything else is quoted.
 */
const inQuery = (value: unknown): string =>
  typeof value === 'string' && (!/^[a-z][\w.-]*$/i.test(value) || /^(true|false|null|nan|infinity)$/i.test(value))
    ? JSON.stringify(value)
    : String(value);

const noAnswer = ({ address }: Account, why: string): string =>
  `the API of the Uyuni server at ${address} does not answer (${why}): the server may be restarting`;

/** What went wrong, in words: the network's own error is the cause of the one that is thrown. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return printable(typeof code === 'string' ? code : error.message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
