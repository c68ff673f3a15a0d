import { createHash } from 'node:crypto';
import { type Call, readCall } from '../../../lib/uyuni/xml-rpc/read.ts';
import type { Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import type { Faults } from '../faults.ts';
import type { Kernel } from '../kernel.ts';
import type { Random } from '../random.ts';
import { type Answer, answerTo, type Item } from './answers.ts';
import { Delivery } from './delivery.ts';
import type { Estate } from './estate.ts';

/** Somebody as a server knows them: one name may be two people, with a password each. */
export type Account = { readonly login: string; readonly password: string };

/** A call that arrived at a server, and what it made of it. */
export type Served = {
  /** Counted over all servers; the mark in the answer. */
  readonly n: number;
  readonly node: string;
  readonly method: string;
  /** Without the key of the session. */
  readonly params: readonly Value[];
  readonly at: number;
  readonly key: string;
  /** Whose session it came with; undefined for none that the server knows. */
  readonly account: Account | undefined;
  /** It was carried out: what it writes is written. */
  readonly isDone: boolean;
  /** The systems in the answer, with the numbers that were sent. */
  items: readonly Item[] | undefined;
  /** The number here of the action that it scheduled. */
  readonly action: number | undefined;
  /** The moment at which the last byte of a true answer was handed over; undefined for one that never was. */
  wholeAt: number | undefined;
  /** The server did not do as servers do: it lied, faltered, or took longer than it takes. */
  isTroubled: boolean;
};

/** What all servers share. */
export type Around = {
  readonly kernel: Kernel;
  readonly faults: Faults;
  readonly estate: Estate;
  /** Every call that arrived at a server, by its number. */
  readonly served: Served[];
  /** Where and when calls came that no server has read. */
  readonly unread: { readonly node: string; readonly at: number }[];
  /** Servers that are in the middle of a call, and since when. */
  readonly open: Set<{ readonly node: string; readonly since: number }>;
  /** Hears of each. */
  heard(served: Served): void;
};

const latencyMaxMs = 300;

/** One Uyuni server: people, sessions, its systems, and whatever befalls it. */
export class PlayedServer {
  readonly name: string;
  readonly people: Map<string, string>;
  readonly sessions = new Map<string, Account>();
  readonly #around: Around;
  readonly #random: Random;
  readonly #delivery: Delivery;
  readonly #actions: (readonly Item[])[] = [];
  #begun = 0;

  constructor(name: string, people: Iterable<Account>, around: Around) {
    this.name = name;
    this.people = new Map([...people].map(({ login, password }) => [login, password]));
    this.#around = around;
    this.#random = around.kernel.random(`server ${name}`);
    this.#delivery = new Delivery(name, around, this.#random);
  }

  /** Takes a call; gives its answer in parts once that begins. Rejects where none does. */
  async call(document: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    await this.#delivery.waits(latencyMaxMs * this.#random() ** 2, signal);
    await this.#delivery.before(signal);
    const call = readCall(document);
    const { served, answer } = this.#carriedOut(call);
    this.#around.heard(served);
    return this.#delivery.of(served, answer, signal);
  }

  #carriedOut({ method: sent, params: all }: Call): { readonly served: Served; readonly answer: Answer } {
    const { kernel, faults, served: log, estate } = this.#around;
    const method = sent.replaceAll(/_(.)/g, (_whole, letter: string) => letter.toUpperCase());
    const key = String(all[0] ?? '');
    const isOpen = method === 'auth.login' || method.startsWith('api.');
    if (!isOpen && faults.hits('server-forgets')) this.sessions.delete(key);
    const account = this.sessions.get(key);
    const params = isOpen ? all : all.slice(1);
    const n = log.length;
    const answer = ((): Answer => {
      if (method === 'auth.login') return this.#begin(all);
      if (method === 'api.getVersion') return { value: '29' };
      if (!account)
        return { fault: { code: -1, text: `unhandled internal exception: Could not find session with id: ${key.split('x')[0]}` } };
      if (method === 'auth.logout') return { value: this.sessions.delete(key) ? 1 : 0 };
      if (faults.hits('server-faults')) return { fault: { code: 2201, text: `${this.name} does not allow this` } };
      return answerTo(method, params, { estate, node: this.name, mark: String(n), actions: this.#actions }) ?? { value: 1 };
    })();
    const isDone = !('fault' in answer);
    const items = isDone && 'items' in answer ? answer.items : undefined;
    const served: Served = {
      ...{ n, node: this.name, method, params, at: kernel.now, key, account, isDone, items },
      ...{ wholeAt: undefined, isTroubled: false, action: isDone && 'action' in answer ? answer.action : undefined },
    };
    log.push(served);
    return { served, answer };
  }

  #begin([login, password]: readonly Value[]): Answer {
    if (this.people.get(String(login)) !== password)
      return { fault: { code: 2950, text: 'Either the password or username is incorrect.' } };
    if (this.#around.faults.hits('server-lies')) return { value: 'welcome' };
    this.#begun += 1;
    const key = `${this.#begun}x${createHash('sha256')
      .update(`${this.name} ${String(login)} ${this.#begun}`)
      .digest('hex')}`;
    this.sessions.set(key, { login: String(login), password: String(password) });
    return { value: key };
  }
}
