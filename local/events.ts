import type { ServerResponse } from 'node:http';
import { Refusal } from '../lib/api/problem.ts';
import { envelopesOf } from '../lib/runtime/on-feed.ts';
import type { Shell } from '../lib/runtime/shell.ts';
import type { Feed } from '../lib/storage/feed.ts';
import type { FeedImage } from '../lib/table/table.ts';
import { type HostRoute, refuse } from './http.ts';

/** How often a stream says that it lives, so that proxies do not close it; who has taken nothing since the last time is cut off. */
const pulseMs = 15_000;
/** Images read at once: the most that waits in memory for a slow reader. */
const batchMax = 100;

/** The stream of published events, `GET /api/v1/events`: `tell` is called when `publish` has moved on. */
export type EventStream = { readonly route: HostRoute; readonly tell: () => void; readonly close: () => void };

/**
 * Server-sent events from the feed, as far as `publish` has come: id is `<feed offset>.<n>`, so a reader that names its last one
 * (`Last-Event-ID`) misses nothing that the feed still holds, and gets nothing twice. Without one it begins with what comes next.
 */
export function eventStream(consumer: string, shell: Shell, feed: Feed): EventStream {
  const readers = new Set<Reader>();
  const route: HostRoute = (request, response, path) => {
    if (path !== '/api/v1/events') return false;
    if (request.method !== 'GET') {
      refuse(response, new Refusal('wrong-method', `${path} takes GET`, { headers: { allow: 'GET' } }));
      return true;
    }
    const last = /^(\d+)\.(\d+)$/.exec(String(request.headers['last-event-id'] ?? ''));
    open(last ? { offset: Number(last[1]), n: Number(last[2]) } : undefined, response).catch((error: unknown) => {
      shell.log('error', 'door.failed', { path, detail: String(error) });
      response.destroy();
    });
    return true;
  };
  const open = async (last: Position | undefined, response: ServerResponse): Promise<void> => {
    const published = Number(await feed.position(consumer));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    // An id that was never given out is another deployment's: waiting for it would be waiting for ever.
    const from = last && last.offset <= published ? last : { offset: published, n: Number.MAX_SAFE_INTEGER };
    const reader = new Reader(from, response, consumer, shell, feed);
    readers.add(reader);
    response.on('close', () => readers.delete(reader));
    response.write(': the events of this deployment as they are published\n\n');
    reader.go();
  };
  const pulse = setInterval(() => {
    for (const reader of readers) reader.pulse();
  }, pulseMs);
  return {
    route,
    tell: () => {
      for (const reader of readers) reader.go();
    },
    close: () => {
      clearInterval(pulse);
      for (const reader of readers) reader.end();
    },
  };
}

type Position = { readonly offset: number; readonly n: number };

/** One reader of the stream and how far it has been sent. */
class Reader {
  #sent: Position;
  #isGoing = false;
  #isTold = false;
  #bytesAtPulse = -1;
  readonly #response: ServerResponse;
  readonly #consumer: string;
  readonly #shell: Shell;
  readonly #feed: Feed;

  constructor(from: Position, response: ServerResponse, consumer: string, shell: Shell, feed: Feed) {
    this.#sent = from;
    this.#response = response;
    this.#consumer = consumer;
    this.#shell = shell;
    this.#feed = feed;
  }

  /** Sends what has been published since, in order, as fast as the reader takes it; told while it goes, it goes on. */
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

  /** Whether anything of the next images was new to the reader. */
  async #sendBatch(): Promise<boolean> {
    const published = Number(await this.#feed.position(this.#consumer));
    // The image of the last id is read again: a row's commit may hold several events, and the reader may have had only some.
    const images = await this.#feed.read(String(Math.max(0, this.#sent.offset - 1)), batchMax);
    const fresh = images.filter((image) => Number(image.offset) <= published);
    return fresh.map((image) => this.#send(image)).some(Boolean);
  }

  /** Whether anything of the image was new to the reader. */
  #send(image: FeedImage): boolean {
    const offset = Number(image.offset);
    const first = offset > this.#sent.offset ? 0 : offset === this.#sent.offset ? this.#sent.n + 1 : Number.MAX_SAFE_INTEGER;
    const events = envelopesOf(image, this.#shell.settings.deployment);
    for (let n = first; n < events.length; n++) {
      const event = events[n]!;
      this.#response.write(`id: ${offset}.${n}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      this.#sent = { offset, n };
    }
    return first < events.length;
  }

  /** Says that the stream lives. A reader that has room for nothing, and has taken nothing since the last pulse, is gone; it resumes by its last id. */
  pulse(): void {
    const { writableNeedDrain: isFull, socket } = this.#response;
    const bytes = socket?.bytesWritten ?? 0;
    if (isFull && bytes === this.#bytesAtPulse) this.#response.destroy();
    else if (!isFull) this.#response.write(': still here\n\n');
    this.#bytesAtPulse = bytes;
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
