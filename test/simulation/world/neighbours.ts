import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { Fingerprint } from '../../../lib/core/ids.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import { Knocker } from './knocking.ts';
import { Line } from './network.ts';
import { Person } from './people.ts';

/** The address that machines of a site have in common with strangers. */
const nat = '198.51.100.7';
/** Where somebody is who has found the token of the site. */
const elsewhere = '203.0.113.9';

/** How many unknown machines may come from one address within the hour, where others call. */
const newKeysPerSource = 5;

/** How often one more machine of the site is switched on, in ms, on the mean. */
const machineEveryMs = 3_000;
/** How often others begin to call, in ms, on the mean; and how often each time, so many ms apart. */
const crowdEveryMs = 8_000;
const crowdCalls = 40;
const crowdApartMs = 60;

/**
 * Brings a site in by one token while others call: strangers from the same address more often than one address may, and
 * somebody elsewhere with the same token.
 */
export function bringInSite(around: Around, cluster: Cluster, isOver: () => boolean): void {
  if (!around.config.neighbours) return;
  void new Site(around, cluster, isOver).open();
}

class Site {
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #maker: Person;
  readonly #stranger: ApiClient;
  #machines = 0;

  constructor(around: Around, cluster: Cluster, isOver: () => boolean) {
    this.#around = around;
    this.#cluster = cluster;
    this.#maker = new Person('sitemaker', around, cluster, isOver);
    this.#stranger = this.#line('stranger', nat).api();
  }

  async open(): Promise<void> {
    await this.#maker.ask(contract.editSettings, { body: { newKeysPerSource } });
    const made = await this.#maker.ask(contract.createOnboardingToken, { body: { uses: 1_000, tags: ['of-a-site'] } });
    if (!made) return;
    this.#again('a machine of the site is switched on', machineEveryMs, () => this.#bring(made.secret));
    this.#again('strangers call', crowdEveryMs, () => this.#crowd('a stranger calls', (n) => this.#strange(n)));
    const found = this.#knocker('finder', elsewhere, made.secret);
    this.#again('somebody calls with the token', crowdEveryMs, () => this.#crowd('the finder knocks', found));
  }

  /** Does something again and again, until nobody is to do anything any more. */
  #again(what: string, everyMs: number, does: () => unknown): void {
    const next = (): void => {
      this.#around.kernel.after(this.#maker.random() * 2 * everyMs, what, () => {
        if (this.#maker.isOver() || this.#cluster.isAway) return;
        does();
        next();
      });
    };
    next();
  }

  #crowd(what: string, call: (n: number) => Promise<unknown>): void {
    for (let n = 0; n < crowdCalls; n++) this.#around.kernel.after(n * crowdApartMs, what, () => void call(n));
  }

  #bring(token: string): void {
    void this.#knocker(`machine${++this.#machines}`, nat, token)();
  }

  /** Every fourth stranger is a machine that nobody knows; the others ask what becomes of one. */
  async #strange(n: number): Promise<unknown> {
    if (n % 4 === 0) return this.#knocker(`unknown${++this.#machines}`, nat)();
    const fp = Fingerprint.parse('f'.repeat(64));
    return this.#stranger(contract.systemStatus, { query: { fp } }).catch((error: unknown) => {
      if (!(error instanceof Unreachable)) throw error;
    });
  }

  /** Knocks by a key of its own, each time it is called. */
  #knocker(name: string, address: string, token?: string): () => Promise<unknown> {
    const by = keyPairOf(name);
    const knocker = new Knocker(this.#around.kernel, this.#line(name, address));
    return () => knocker.knock({ body: { publicKey: by.publicKey, ...(token !== undefined && { token }) }, by });
  }

  #line(name: string, address: string): Line {
    const line = new Line(name, this.#around, this.#cluster);
    line.address = address;
    return line;
  }
}
