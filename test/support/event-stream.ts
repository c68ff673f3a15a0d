import type { Envelope } from '../../lib/ports/bus/bus.ts';
import { operatorAt } from '../../tools/support/operator.ts';

/** One event as the stream sent it. */
export type Received = { readonly id: string; readonly type: string; readonly event: Envelope };

/** A reader of `GET /api/v1/events`. */
export type StreamReader = {
  readonly received: readonly Received[];
  /** Resolves with all that came, once that many have. */
  readonly come: (count: number) => Promise<readonly Received[]>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  readonly close: () => void;
};

/**
 * Opens the stream, as the host's operator unless another bearer token is given, behind the event with this id when one
 * is given; resolves once the server has begun to answer.
 */
export async function readEvents(url: string, lastEventId?: string, bearer = operatorAt(url)): Promise<StreamReader> {
  const abort = new AbortController();
  const headers = {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const response = await fetch(`${url}/api/v1/events`, { headers, signal: abort.signal });
  if (!response.ok || response.headers.get('content-type') !== 'text/event-stream') throw new Error(`no stream: ${response.status}`);
  const received: Received[] = [];
  let wake = (): void => undefined;
  const ended = (async () => {
    let text = '';
    try {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        text += part;
        const blocks = text.split('\n\n');
        text = blocks.pop()!;
        received.push(...blocks.flatMap(receivedIn));
        wake();
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
  })();
  return {
    received,
    come: (count) =>
      new Promise((resolve) => {
        wake = () => {
          if (received.length >= count) resolve(received);
        };
        wake();
      }),
    ended,
    close: () => abort.abort(),
  };
}

/** The event of one block; comments have none. */
function receivedIn(block: string): Received[] {
  const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]));
  const data = fields.get('data');
  return data === undefined ? [] : [{ id: fields.get('id') ?? '', type: fields.get('event') ?? '', event: JSON.parse(data) as Envelope }];
}
