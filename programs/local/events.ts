import type { ServerResponse } from 'node:http';
import { type AdminCaller, callerOf } from '../../lib/access/verify-admin.ts';
import { seesRow, visibleData } from '../../lib/access/zones-of-caller.ts';
import { Refusal } from '../../lib/api/problem.ts';
import { routeMethod } from '../../lib/api/router.ts';
import type { Feed } from '../../lib/ports/table/file-feed.ts';
import type { FeedImage } from '../../lib/ports/table/table.ts';
import type { HttpRequest } from '../../lib/runtime/function.ts';
import { limitCaller, limitSource } from '../../lib/runtime/limit-callers.ts';
import { envelopesOf } from '../../lib/runtime/on-feed.ts';
import { sentReply } from '../../lib/runtime/reply.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { type HostRoute, idOf, refuse } from './http.ts';
import { localRequest } from './local-request.ts';

/**
 * How often a stream sends a sign of life, so that proxies do not close it. A reader that has taken nothing since the
 * last time is cut off.
 */
const pulseMs = 15_000;
/**
 * How often a stream verifies that its reader still has the right to it. A revocation counts everywhere within 5 s, of
 * which a known key may take 3 (lib/access/known-keys.ts). Most of the time that reads nothing, and costs microseconds.
 */
const verifyEveryMs = 1_500;
/** How many streams one key, session or person may have open at once: a program needs one, and a person a few. */
const streamsMax = 10;
/** Images read at once: the most that waits in memory for a slow reader. */
const batchMax = 100;

/** The stream of published events, `GET /api/v1/events`. Call `tell` when `publish` has moved on. */
export type EventStream = { readonly route: HostRoute; readonly tell: () => void; readonly close: () => void };

/**
 * Server-sent events from the feed, as far as `publish` has come. An id is `<feed offset>.<n>`, so a reader that names
 * its last one (`Last-Event-ID`) misses nothing that the feed still holds, and gets nothing twice. Without one the
 * stream begins with the next event. It is open to callers with the right to read, and has only the events of the
 * reader's zones.
 */
export function eventStream(consumer: string, shell: Shell, feed: Feed): EventStream {
  const readers = new Set<Reader>();
  /** How many streams each caller has open. */
  const streams = new Map<string, number>();
  const closed = (by: string): void => {
    const left = (streams.get(by) ?? 1) - 1;
    if (left > 0) streams.set(by, left);
    else streams.delete(by);
  };
  const route: HostRoute = (request, response, path, source) => {
    if (path !== '/api/v1/events') return false;
    if (routeMethod(request.method ?? 'GET') !== 'GET') {
      refuse(response, new Refusal('wrong-method', `${path} takes GET, HEAD`, { headers: { allow: 'GET, HEAD' } }));
      return true;
    }
    const call = localRequest(request, { id: idOf(response), path, query: '', body: '', source });
    open(call, response).catch((error: unknown) => {
      if (error instanceof Refusal) return refuse(response, error);
      shell.log('error', 'door.failed', { path, detail: String(error) });
      response.destroy();
    });
    return true;
  };
  const open = async (call: HttpRequest, response: ServerResponse): Promise<void> => {
    limitSource(shell, streamed, call.source);
    const verify = (): Promise<AdminCaller> => callerOf(call, streamed, shell);
    const caller = await verify();
    limitCaller(shell, caller);
    const headers = sentReply(
      { status: 200, headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } },
      call.id,
    ).headers;
    if (call.method === 'HEAD') {
      response.writeHead(200, headers).end();
      return;
    }
    const by = caller.actor?.key ?? caller.actor?.who ?? caller.name;
    if ((streams.get(by) ?? 0) >= streamsMax) throw tooManyStreams();
    if (response.closed) return;
    streams.set(by, (streams.get(by) ?? 0) + 1);
    response.on('close', () => closed(by));
    const published = Number(await feed.position(consumer));
    response.writeHead(200, headers);
    const last = lastRead(call);
    // An id that was never given out belongs to another deployment, and this stream would never reach it.
    const from = last && last.offset <= published ? last : { offset: published, n: Number.MAX_SAFE_INTEGER };
    const reader = new Reader(from, response, { caller, verify }, { consumer, shell, feed });
    readers.add(reader);
    response.on('close', () => readers.delete(reader));
    response.write(': the events of this deployment as they are published\n\n');
    reader.go();
  };
  const pulse = setInterval(() => {
    for (const reader of readers) reader.pulse();
  }, pulseMs);
  const verifying = setInterval(() => {
    for (const reader of readers) reader.verify();
  }, verifyEveryMs);
  return {
    route,
    tell: () => {
      for (const reader of readers) reader.go();
    },
    close: () => {
      clearInterval(pulse);
      clearInterval(verifying);
      for (const reader of readers) reader.end();
    },
  };
}

/** The last event that the reader has read, if it names one. */
function lastRead(call: HttpRequest): Position | undefined {
  const [, offset, n] = /^(\d+)\.(\d+)$/.exec(call.header('last-event-id') ?? '') ?? [];
  return offset === undefined ? undefined : { offset: Number(offset), n: Number(n) };
}

const tooManyStreams = (): Refusal =>
  new Refusal('rate-limited', `this caller has ${streamsMax} streams open already: close one`, { headers: { 'retry-after': '15' } });

/** The rights that the stream requires, as a route of the contract states them. */
const streamed = { scope: 'read', method: 'GET', path: '/api/v1/events' } as const;

/** The caller that reads, and how to verify it again. */
type Who = { caller: AdminCaller; readonly verify: () => Promise<AdminCaller> };
type Source = { readonly consumer: string; readonly shell: Shell; readonly feed: Feed };

type Position = { readonly offset: number; readonly n: number };

/** One reader of the stream, and the position up to which it has been sent. */
class Reader {
  #sent: Position;
  #isGoing = false;
  #isTold = false;
  #bytesAtPulse = -1;
  #isVerifying = false;
  /** The last verification failed for a reason that is not the reader's; it is logged once. */
  #isUnsure = false;
  readonly #response: ServerResponse;
  readonly #consumer: string;
  readonly #shell: Shell;
  readonly #feed: Feed;

  readonly #who: Who;

  constructor(from: Position, response: ServerResponse, who: Who, { consumer, shell, feed }: Source) {
    this.#sent = from;
    this.#response = response;
    this.#who = who;
    this.#consumer = consumer;
    this.#shell = shell;
    this.#feed = feed;
  }

  /**
   * Sends what has been published since, in order, as fast as the reader takes it. A call while it sends makes it
   * continue.
   */
  go(): void {
    this.#isTold = true;
    if (this.#isGoing) return;
    this.#goOn().catch((error: unknown) => {
      this.#shell.log('error', 'door.failed', { path: '/api/v1/events', detail: String(error) });
      this.#response.destroy();
    });
  }

  async #goOn(): Promise<void> {
    this.#isGoing = true;
    try {
      while (this.#isTold && this.#isOpen()) {
        this.#isTold = false;
        while (this.#isOpen() && (await this.#sendBatch())) await drained(this.#response);
      }
    } finally {
      this.#isGoing = false;
    }
  }

  #isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.closed;
  }

  /** Sends the next images; gives whether anything of them was new to the reader. */
  async #sendBatch(): Promise<boolean> {
    const published = Number(await this.#feed.position(this.#consumer));
    // The image of the last id is read again: a row's commit may hold several events, and the reader may have had only
    // some.
    const images = await this.#feed.read(String(Math.max(0, this.#sent.offset - 1)), batchMax);
    const fresh = images.filter((image) => Number(image.offset) <= published);
    return fresh.map((image) => this.#send(image)).some(Boolean);
  }

  /**
   * Sends an image; gives whether it, or part of it, was new to the reader. An image without events for this reader
   * counts as sent, too.
   */
  #send(image: FeedImage): boolean {
    const offset = Number(image.offset);
    const { offset: at, n: last } = this.#sent;
    if (offset < at) return false;
    const first = offset > at ? 0 : last + 1;
    const { caller } = this.#who;
    const events = seesRow(caller, image.row) ? envelopesOf(image, this.#shell.settings.deployment) : [];
    for (let n = first; n < events.length; n++) {
      const event = { ...events[n]!, data: visibleData(caller, events[n]!.type, events[n]!.data) };
      this.#response.write(`id: ${offset}.${n}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    if (offset === at && first >= events.length) return false;
    this.#sent = { offset, n: events.length - 1 };
    return true;
  }

  /**
   * Sends a sign of life. A reader that has room for nothing, and has taken nothing since the last pulse, is cut off;
   * it resumes by its last id.
   */
  pulse(): void {
    const { writableNeedDrain: isFull, socket } = this.#response;
    const bytes = socket?.bytesWritten ?? 0;
    if (isFull && bytes === this.#bytesAtPulse) this.#response.destroy();
    else if (!isFull) this.#response.write(': still here\n\n');
    this.#bytesAtPulse = bytes;
  }

  /** Verifies the reader again, unless the last time has not ended yet. */
  verify(): void {
    if (this.#isVerifying || !this.#isOpen()) return;
    this.#isVerifying = true;
    void this.#askAgain().finally(() => {
      this.#isVerifying = false;
    });
  }

  /** Ends the stream of a reader that has lost the right to read: a stream would outlive every token otherwise. */
  async #askAgain(): Promise<void> {
    try {
      this.#who.caller = await this.#who.verify();
      this.#isUnsure = false;
    } catch (error) {
      if (error instanceof Refusal) this.#response.end();
      else if (!this.#isUnsure) this.#shell.log('warn', 'door.failed', { path: '/api/v1/events', detail: String(error) });
      this.#isUnsure = true;
    }
  }

  end(): void {
    this.#response.end();
  }
}

/** Resolves when the reader has room for more, or is gone. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (!response.writableNeedDrain) return resolve();
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
