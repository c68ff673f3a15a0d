import { type ApiClient, apiClient, type Fetching } from '../../../lib/api/client.ts';
import type { Around, Cluster } from '../cluster.ts';
import { Away, Died } from '../cluster.ts';
import type { Random } from '../random.ts';
import { signedIn } from '../watching.ts';

/** How long a machine's caller waits for an answer, in ms, as the programs do. */
const answerLimitMs = 30_000;
/** How long a machine may be cut off, in ms. */
const partitionMaxMs = 5 * 60_000;
const wireMaxMs = 40;

/** A call as it is on the wire. */
export type Captured = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * Between machines and doors: calls get lost, answers get lost, a machine may be cut off altogether. Whoever lives on
 * one machine shares its line.
 */
export class Line {
  readonly name: string;
  /** Until when nothing comes through. */
  cutUntil = 0;
  /** Until when Muster is not reached, although the machine is by those around it. */
  unheardUntil = 0;
  /** Where its calls come from. */
  address = '192.0.2.1';
  /** Hears every call as it leaves, whether or not it arrives. */
  tap: (call: Captured) => void = () => undefined;
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #random: Random;

  constructor(name: string, around: Around, cluster: Cluster) {
    this.name = name;
    this.#around = around;
    this.#cluster = cluster;
    this.#random = around.kernel.random(`line ${name}`);
  }

  get isCut(): boolean {
    return this.#around.kernel.now < this.cutUntil;
  }

  get #isUnheard(): boolean {
    return this.isCut || this.#around.kernel.now < this.unheardUntil;
  }

  /** A client of the API over this line, whose calls are signed as told. */
  api = (signs = (fetching: Fetching): Fetching => fetching): ApiClient =>
    apiClient('http://muster.simulated', { timeoutMs: Number.POSITIVE_INFINITY, fetching: signs(this.fetching) });

  /** How calls travel on this line. */
  readonly fetching: Fetching = async (url, { method, headers, body, signal }) => {
    const { kernel, faults, watch } = this.#around;
    const { pathname: path, search } = new URL(url);
    const query = search.slice(1);
    const askedAt = kernel.now;
    const sent: unknown = body === undefined ? undefined : JSON.parse(body);
    watch.asked({ at: askedAt, method, path, sent, source: this.address });
    this.tap({ method, path, query, headers, body: body ?? '' });
    if (faults.hits('partition', 0.05)) this.cutUntil = kernel.now + faults.span('partition', partitionMaxMs);
    await kernel.wait(1 + this.#random() * wireMaxMs, `${this.name} ${method} ${path}`);
    if (this.#isUnheard) await this.#silence('cut off');
    const reply = await this.#cluster
      .call({ method, path, query, header: (name) => headers[name], body: body ?? '', source: this.address })
      .catch(async (error: unknown) => {
        if (!(error instanceof Away || error instanceof Died)) throw error;
        return this.#silence(error.message);
      });
    const answered = {
      at: kernel.now,
      askedAt,
      line: this.name,
      shown: headers,
      method,
      path,
      query,
      token: headers['muster-token'],
      signed: signedIn(headers),
    };
    watch.answered({
      ...answered,
      source: this.address,
      key: headers['idempotency-key'],
      by: reply.by,
      request: reply.request,
      status: reply.status,
      sent,
      headers: reply.headers ?? {},
      body: reply.body ?? '',
    });
    if (this.#isUnheard || faults.hits('partition', 0.1)) await this.#silence('the answer was lost');
    await kernel.wait(1 + this.#random() * wireMaxMs, `${this.name} hears ${reply.status}`);
    if (signal.aborted) throw new Error('nobody waits any more');
    return {
      ok: reply.status >= 200 && reply.status < 300,
      status: reply.status,
      headers: new Headers(reply.headers as Record<string, string>),
      text: async () => reply.body ?? '',
    };
  };

  /** No answer comes, and after a while the caller knows. */
  async #silence(why: string): Promise<never> {
    await this.#around.kernel.wait(this.#random() * answerLimitMs, `${this.name} hears nothing`);
    throw new Error(why);
  }
}
