import type { ServerResponse } from 'node:http';
import { envelopesOf } from '../lib/runtime/on-feed.ts';
import type { Shell } from '../lib/runtime/shell.ts';
import type { Feed } from '../lib/storage/feed.ts';
import type { FeedImage } from '../lib/table/table.ts';
import type { HostRoute } from './http.ts';

/** How often an idle stream says that it lives, so that proxies do not close it. */
const pulseMs = 15_000;
/** How many bytes a slow reader may leave unread before it is cut off; it resumes by its last id. */
const backlogBytesMax = 1024 * 1024;

/** The stream of published events, `GET /api/v1/events`: `tell` is called when `publish` has moved on. */
export type EventStream = { readonly route: HostRoute; readonly tell: () => void; readonly close: () => void };

/**
 * Server-sent events from the feed, as far as `publish` has come: id is `<feed offset>.<n>`, so a reader that names its last one
 * (`Last-Event-ID`) misses nothing that the feed still holds, and gets nothing twice. Without one it begins with what comes next.
 */
export function eventStream(consumer: string, shell: Shell, feed: Feed): EventStream {
  const readers = new Set<Reader>();
  const route: HostRoute = (request, response, path) => {
    if (path !== '/api/v1/events' || request.method !== 'GET') return false;
    const last = /^(\d+)\.(\d+)$/.exec(String(request.headers['last-event-id'] ?? ''));
    void open(last ? { offset: Number(last[1]), n: Number(last[2]) } : undefined, response);
    return true;
  };
  const open = async (last: Position | undefined, response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    const from = last ?? { offset: Number(await feed.position(consumer)), n: Number.MAX_SAFE_INTEGER };
    const reader = new Reader(from, response, consumer, shell, feed);
    readers.add(reader);
    response.on('close', () => readers.delete(reader));
    response.write(': the events of this deployment as they are published\n\n');
    await reader.go();
  };
  const pulse = setInterval(() => {
    for (const reader of readers) reader.pulse();
  }, pulseMs);
  return {
    route,
    tell: () => {
      for (const reader of readers) void reader.go();
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
  #going = false;
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

  /** Sends what has been published since, in order. */
  async go(): Promise<void> {
    if (this.#going) return;
    this.#going = true;
    try {
      for (let more = true; more && !this.#response.closed; ) {
        const published = Number(await this.#feed.position(this.#consumer));
        // The image of the last id is read again: a row's commit may hold several events, and the reader may have had only some.
        const images = await this.#feed.read(String(Math.max(0, this.#sent.offset - 1)), 100);
        const fresh = images.filter((image) => Number(image.offset) <= published);
        more = fresh.map((image) => this.#send(image)).some(Boolean);
      }
    } finally {
      this.#going = false;
    }
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
    if (this.#response.writableLength > backlogBytesMax) this.#response.destroy();
    return first < events.length;
  }

  pulse(): void {
    this.#response.write(': still here\n\n');
  }

  end(): void {
    this.#response.end();
  }
}
