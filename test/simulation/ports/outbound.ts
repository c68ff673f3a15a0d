import type { Outbound, Posted, Posting } from '../../../lib/ports/outbound/outbound.ts';
import type { Around } from '../cluster.ts';
import type { Environment } from '../environment.ts';
import type { Random } from '../random.ts';

/**
 * How often a target does what it should not, as long as faults last: each counted from 0, the rest is answered 200.
 */
const until = { refuses: 0.1, hangs: 0.15, losesAnswer: 0.22, isGone: 0.23 } as const;
/** How long a target takes to answer, in ms, at the most. */
const answersMaxMs = 400;

/**
 * The targets of webhooks, somewhere outside: they take what they are sent and answer 200, or fail, hang, take it and
 * lose the answer, or say that they are gone, as long as faults last.
 */
export class Targets {
  readonly #around: Around;
  readonly #random: Random;

  constructor(around: Around) {
    this.#around = around;
    this.#random = around.kernel.random('targets of webhooks');
  }

  /** The way to them from one environment. */
  portOf = (environment: Environment): Outbound => ({
    post: (posting) => environment.ask(`posts to ${posting.url}`, () => this.#post(posting)),
    refuses: (url) => environment.ask(`resolves ${url}`, async () => undefined),
  });

  async #post({ url, headers, body, timeoutMs }: Posting): Promise<Posted> {
    const { kernel, watch } = this.#around;
    const drawn = this.#around.faults.isHealed ? 1 : this.#random();
    await kernel.wait(this.#random() * answersMaxMs, `${headers['webhook-id']} arrives at ${url}`);
    const isTaken = drawn >= until.hangs && !(drawn >= until.losesAnswer && drawn < until.isGone);
    watch.arrived({ at: kernel.now, url, headers, body, isTaken });
    if (drawn < until.refuses) return { status: 500 };
    if (drawn >= until.isGone) return { status: 200 };
    if (drawn >= until.losesAnswer) return { status: 410 };
    await kernel.wait(timeoutMs, `${url} does not answer`);
    return { failed: `no answer within ${timeoutMs / 1000} s` };
  }
}
