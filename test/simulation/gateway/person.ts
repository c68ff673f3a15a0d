import { secondMs } from '../../../lib/core/time.ts';
import type { Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../../lib/uyuni/xml-rpc/write.ts';
import { lifetimeMs } from '../../../programs/gateway/sessions.ts';
import { between, oneOf, type Random } from '../random.ts';
import { type Asked, type Exchange, failedIn, type Login, responseIn } from './exchange.ts';
import type { Account } from './played-server.ts';
import { isAbout, isOfSessions, type KnownActions } from './promise.ts';
import { drawCall } from './repertoire.ts';
import { deadlineMs, type GatewayWorld } from './world.ts';

const thinksMaxMs = 8_000;
/** How soon a person who leaves does, and how long one that reads slowly rests between two parts, at the most. */
const leavesMaxMs = 4_000;
const restsMaxMs = 2_000;
/** What may lie between the moment at which a call is made and that at which the gateway looks for its session. */
const unsureMs = 50;

/** What all people share: sessions that some of them have, by their keys, and who hears of what became of a call. */
export type Crowd = {
  readonly world: GatewayWorld;
  readonly logins: Map<string, Login>;
  /** How many calls were made. */
  calls: number;
  /** The numbers of actions that people were given, with the parts that servers took. */
  readonly actions: KnownActions;
  /** Those that wait for an answer. */
  readonly waiting: Set<Asked>;
  isOver: boolean;
  /** Hears of each call before it is made, and of what came of it. */
  asked(asked: Asked): void;
  heard(exchange: Exchange): void;
};

/** What a call is made with besides itself. */
type Making = Pick<Asked, 'method' | 'params' | 'systems' | 'token' | 'servers' | 'as' | 'follows'> & {
  readonly key: string | undefined;
  readonly deadlineMs?: number;
};

/** Somebody who signs in, calls, signs out, and now and then does what nobody should. */
export class Person {
  readonly account: Account;
  readonly #crowd: Crowd;
  readonly #random: Random;
  #login: Login | undefined;

  constructor(name: string, account: Account, crowd: Crowd) {
    this.account = account;
    this.#crowd = crowd;
    this.#random = crowd.world.around.kernel.random(`person ${name}`);
  }

  /** Lives until it is over. */
  async live(): Promise<void> {
    const { kernel } = this.#crowd.world.around;
    while (!this.#crowd.isOver) {
      await kernel.wait(thinksMaxMs * this.#random() ** 2, 'somebody calls');
      if (this.#crowd.isOver) return;
      const acts = this.#acts();
      // Scripts call while they wait for another answer.
      if (this.#random() < 0.7) await acts;
    }
  }

  async #acts(): Promise<void> {
    const random = this.#random;
    const drawn = random();
    if (!this.#login || drawn < 0.04) return void (await this.signIn(drawn < 0.1 ? 'a wrong one' : this.account.password));
    if (drawn < 0.07) return this.#signOut(this.#login);
    const call = drawCall(random, this.#crowd.world.around.estate, this.#token(), this.#crowd.actions);
    const key = drawn < 0.14 ? this.#anotherKey() : this.#login.key;
    await this.call({ ...call, key });
  }

  /** A text that no other call has, and that can stand for a date. */
  #token(): string {
    this.#crowd.calls += 1;
    return `20310501T${String(100_000 + this.#crowd.calls)}`.replace(/(\d\d)(\d\d)(\d\d)$/, '$1:$2:$3');
  }

  /** A key that somebody gave away, that has ended, that a server gave, or that was made up. */
  #anotherKey(): string {
    const { logins, world } = this.#crowd;
    const drawn = this.#random();
    if (drawn < 0.6) return oneOf(this.#random, [...logins.keys()]) ?? 'none';
    const server = oneOf(this.#random, [...world.servers.values()]);
    const [given] = server?.sessions.keys() ?? [];
    return (drawn < 0.9 ? given : undefined) ?? `1x${'0'.repeat(64)}`;
  }

  /** Signs in; gives the session, if there is one. Servers are waited for as long as the person says, or as usual. */
  async signIn(password: string, waits: Pick<Making, 'deadlineMs'> = {}): Promise<Login | undefined> {
    const seconds = this.#random() < 0.3 ? between(this.#random, 1, 120) : undefined;
    const params: Value[] = [this.account.login, password, ...(seconds === undefined ? [] : [seconds])];
    const { response, endedAt } = await this.call({
      method: seconds === undefined && this.#crowd.calls % 3 === 0 ? 'hub.login' : 'auth.login',
      params,
      systems: [],
      token: undefined,
      key: undefined,
      ...waits,
    });
    const key = response?.ok ? String(response.value) : undefined;
    this.#login = undefined;
    if (key === undefined) return undefined;
    const account = { login: this.account.login, password };
    const login = {
      key,
      account,
      lifetimeMs: seconds === undefined ? lifetimeMs : seconds * secondMs,
      lastAt: endedAt,
      as: [],
      isOut: 'no',
    } satisfies Login;
    this.#crowd.logins.set(key, login);
    this.#login = login;
    return login;
  }

  async #signOut(login: Login): Promise<void> {
    this.#login = undefined;
    const method = this.#crowd.calls % 3 === 0 ? 'hub.logout' : 'auth.logout';
    const call = this.call({ method, params: [], systems: [], token: undefined, key: login.key });
    if (login.isOut === 'no') login.isOut = 'perhaps';
    await call;
    login.isOut = 'yes';
  }

  /** Makes one call, and has it judged. */
  async call(making: Making): Promise<Exchange> {
    const { world, logins } = this.#crowd;
    const { kernel, faults } = world.around;
    const random = this.#random;
    const beganAt = kernel.now;
    const login = making.key === undefined ? undefined : logins.get(making.key);
    const isStrict = random() < 0.2;
    const ownDeadlineMs = making.deadlineMs ?? (random() < 0.2 ? between(random, 300, 3_000) : undefined);
    const asked: Asked = {
      ...making,
      ...{ login, isStrict, deadlineMs: ownDeadlineMs ?? deadlineMs, beganAt, session: stateOf(login, beganAt) },
    };
    if (login) noteCall(login, asked);
    login?.as.push(...(making.as ?? []));
    this.#crowd.asked(asked);
    const isAuth = isOfSessions(making.method);
    const leaves = !isAuth && faults.hits('caller-leaves');
    const isSlow = !leaves && !isAuth && faults.hits('caller-dawdles');
    const gone = new AbortController();
    if (leaves) kernel.after(faults.span('caller-leaves', leavesMaxMs), 'somebody leaves', () => gone.abort());
    const document = callText(making.method, [...(making.key === undefined ? [] : [making.key]), ...making.params]);
    kernel.note(`${this.account.login} calls ${making.method}`);
    this.#crowd.waiting.add(asked);
    const received = await world.line.send(document, {
      headers: {
        ...(isStrict && { 'x-strict': 'true' }),
        ...(ownDeadlineMs !== undefined && { 'x-deadline': String(ownDeadlineMs / secondMs) }),
      },
      ...(isAbout(making.method, 'hub', 'one', 'several') && { path: '/hub/rpc/api' }),
      gone: gone.signal,
      ...(isSlow && { reading: () => kernel.wait(restsMaxMs * random(), '') }),
    });
    this.#crowd.waiting.delete(asked);
    const endedAt = kernel.now;
    const exchange: Exchange = {
      ...asked,
      ...{ endedAt, received, isLeft: leaves, isSlow, directories: world.knownBetween(beganAt, endedAt) },
      ...failedIn(received?.failed),
      response: received?.isWhole ? responseIn(received.text) : undefined,
    };
    kernel.note(
      `${this.account.login} has ${received ? `${received.text.length} of ${making.method}, without ${received.failed}` : 'nothing'}`,
    );
    this.#crowd.heard(exchange);
    this.#forget(exchange);
    return exchange;
  }

  /** Programs sign in anew when a fault says that a session is not there. */
  #forget({ key, login, response }: Exchange): void {
    // Where no server is known, nobody looks for the session.
    if (response?.ok === false && response.fault.text.includes('no server can be asked') && login?.isOut === 'no') login.isOut = 'perhaps';
    if (response?.ok === false && key === this.#login?.key && /Could not find session/.test(response.fault.text)) this.#login = undefined;
  }
}

function stateOf(login: Login | undefined, at: number): Asked['session'] {
  if (!login || login.isOut === 'yes') return 'over';
  const leftMs = login.lastAt + login.lifetimeMs - at;
  if (leftMs > unsureMs) return login.isOut === 'no' ? 'alive' : 'unsure';
  return leftMs < -unsureMs ? 'over' : 'unsure';
}

/** A session that is over stays so; one that may be over does as well, and a call prolongs any other. */
function noteCall(login: Login, { session, beganAt }: Asked): void {
  if (session === 'over') login.isOut = 'yes';
  else if (session === 'unsure' && login.isOut === 'no') login.isOut = 'perhaps';
  login.lastAt = beganAt;
}
