import type { Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { faultText, responseText } from '../../../lib/uyuni/xml-rpc/write.ts';
import { between, oneOf, type Random } from '../random.ts';
import { type Answer, type Item, structsOf } from './answers.ts';
import type { Around, Served } from './played-server.ts';

/** For how long a server that has begun to hang may do so with every call. */
const sickMaxMs = 60_000;
/** How long a slow server may rest between two parts. */
const restMaxMs = 6_000;
const partsMax = 6;
/** Above this an answer is sent to callers as it comes: a system has so long a name now and then. */
const longBytes = 1_200_000;

/** How a document is spoilt: each gives another text, or bytes. */
const spoilt: readonly ((text: string, random: Random) => string | Uint8Array)[] = [
  (text, random) => cutAt(text, random).replace(/$/, '<mark></value>'),
  (text) => text.replace('?>', '?><!DOCTYPE methodResponse>'),
  (text) => text.replace('</methodResponse>', '</methodResponse><methodResponse/>'),
  (text) => text.replace(/<\/value>(?!.*<\/value>)/, ''),
  (text, random) => Buffer.concat([Buffer.from(cutAt(text, random)), Buffer.from([0xc3, 0x28]), Buffer.from('</value>')]),
  () => '<html><body>Service unavailable</body></html>',
  () => '{"success":true,"result":[]}',
  () => '',
  () => responseText('there is nothing here'),
  (text, random) => `${cutAt(text, random)}&nobody;`,
];

const cutAt = (text: string, random: Random): string => text.slice(0, between(random, 1, text.length - 1));

/** What an answer is sent as: up to where, and how. */
type Manner = {
  readonly bytes: Buffer;
  readonly ending: number;
  readonly isSpoilt: boolean;
  readonly isSlow: boolean;
  readonly isHung: boolean;
  readonly isLoud: boolean;
};

/** How an answer gets from a server to the gateway, or does not. */
export class Delivery {
  readonly #node: string;
  readonly #around: Around;
  readonly #random: Random;
  #sickUntil = 0;

  constructor(node: string, around: Around, random: Random) {
    this.#node = node;
    this.#around = around;
    this.#random = random;
  }

  /** Lets time pass; rejects as soon as nobody waits any more. */
  waits(waitMs: number, signal: AbortSignal): Promise<void> {
    const { kernel, open } = this.#around;
    const own = { node: this.#node, since: kernel.now };
    open.add(own);
    return new Promise((resolve, reject) => {
      const over = (): void => {
        cancel();
        open.delete(own);
        reject(new Error('it is not waited for any more'));
      };
      const cancel = kernel.after(waitMs, '', () => {
        signal.removeEventListener('abort', over);
        open.delete(own);
        resolve();
      });
      if (signal.aborted) over();
      else signal.addEventListener('abort', over, { once: true });
    });
  }

  #hangs(signal: AbortSignal): Promise<void> {
    this.#around.kernel.note(`${this.#node} hangs`);
    return this.waits(Number.MAX_SAFE_INTEGER / 2, signal);
  }

  /** What befalls a call before the server has read it. */
  async before(signal: AbortSignal): Promise<void> {
    const { faults, kernel } = this.#around;
    if (faults.isHealed) this.#sickUntil = 0;
    if (faults.hits('server-hangs', 0.3)) this.#sickUntil = kernel.now + faults.span('server-hangs', sickMaxMs);
    const isSick = kernel.now < this.#sickUntil;
    if (!isSick && !faults.hits('server-cuts', 0.5)) return;
    this.#around.unread.push({ node: this.#node, at: kernel.now });
    if (isSick) await this.#hangs(signal);
    throw new Error('socket hang up');
  }

  /** The answer in parts; it is not begun, or broken off, or spoilt, as the faults have it. */
  async of(served: Served, answer: Answer, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { faults, kernel } = this.#around;
    const random = this.#random;
    const isDrawn = (kind: Parameters<typeof faults.hits>[0], scale?: number): boolean => {
      const hits = faults.hits(kind, scale);
      if (hits) served.isTroubled = true;
      return hits;
    };
    const told = isDrawn('server-lies') ? this.#lied(served, answer) : answer;
    let document: string | Uint8Array = 'fault' in told ? faultText(told.fault) : responseText(told.value);
    if (served.items && random() < 0.004) document = document.replace('<string>', `<string>${'x'.repeat(longBytes)}`);
    const isSpoilt = served.isDone && isDrawn('server-babbles');
    if (isSpoilt) document = oneOf(random, spoilt)!(document, random);
    const bytes = Buffer.from(document);
    const isCut = isDrawn('server-cuts', 0.5);
    const isHung = isDrawn('server-hangs', 0.5);
    const isSlow = isDrawn('server-slow');
    const ending = isCut || isHung ? this.#endingOf(bytes) : bytes.length;
    kernel.note(`${this.#node} answers ${served.method} (${served.n})${served.isTroubled ? ', troubled' : ''}`);
    if (ending === 0 && isHung) await this.#hangs(signal);
    if (ending === 0 && isCut) throw new Error('socket hang up');
    return this.#parts(served, { bytes, ending, isSpoilt, isSlow, isHung, isLoud: random() < 0.5 }, signal);
  }

  async *#parts(
    served: Served,
    { bytes, ending, isSpoilt, isSlow, isHung, isLoud }: Manner,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const cuts = Array.from({ length: between(this.#random, 0, partsMax) }, () => between(this.#random, 0, ending));
    const places = [0, ...cuts.sort((a, b) => a - b), ending];
    for (const [n, from] of places.entries()) {
      if (n > 0 && isSlow) await this.waits(restMaxMs * this.#random() ** 2, signal);
      yield bytes.subarray(from, places[n + 1] ?? from);
    }
    if (ending === bytes.length) {
      if (!isSpoilt) served.wholeAt = this.#around.kernel.now;
      return;
    }
    if (isHung) await this.#hangs(signal);
    // Half of what breaks off is a connection that says so.
    if (isLoud) throw new Error('socket hang up');
  }

  /** Where an answer ends before its end: often before its beginning. */
  #endingOf(bytes: Buffer): number {
    return this.#random() < 0.4 ? 0 : between(this.#random, 0, bytes.length - 1);
  }

  /** The same answer with systems in it that are not there, or are another's, or come twice. */
  #lied(served: Served, answer: Answer): Answer {
    if ('fault' in answer || !served.items || !Array.isArray(answer.value)) return answer;
    const items = served.items.flatMap((item): Item[] => {
      const drawn = this.#random();
      if (drawn < 0.3) return [{ ...item, number: this.#around.estate.someNumber(this.#random) }];
      if (drawn < 0.4) return [item, item];
      return drawn < 0.5 ? [] : [item];
    });
    served.items = items;
    return { value: structsOf(served.method, items, String(served.n)) as Value, items };
  }
}
