import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { Later } from '../../core/errors.ts';
import { askService } from '../aws/ask-service.ts';
import type { Bus } from './bus.ts';
import { admitEvents, type Entry, entriesMax, entryBytesMax, sourceOfEvents, Unpublishable } from './limits.ts';

/**
 * How often an entry is sent before it is left to the caller: EventBridge refuses single entries of a call that
 * succeeded.
 */
const attemptsMax = 3;

/** The target of events: a bus, and the `source` that rules match. */
export type EventBridgeOptions = { readonly client: EventBridgeClient; readonly busName: string; readonly source?: string };

/** The bus in EventBridge: `detail-type` is the event's type, `detail` its whole envelope. */
export const eventBridgeBus = ({ client, busName, source = sourceOfEvents }: EventBridgeOptions): Bus => ({
  publish: async (events) => {
    const codes = new Set<string>();
    for (const call of callsOf(admitEvents(events, source))) {
      const entries = call.map(({ event, detail }) => ({
        EventBusName: busName,
        Source: source,
        DetailType: event.type,
        Detail: detail,
      }));
      for (const code of await putAll(client, entries)) codes.add(code);
    }
    const refused = `${busName} did not accept all of ${events.length} events: ${[...codes].join()}`;
    if ([...codes].some(isOfEvent)) throw new Unpublishable('bus.refused', refused);
    if (codes.size > 0) throw new Later('bus.refused', refused);
  },
});

/** The entries in calls that are neither too many nor too large. */
function callsOf(entries: readonly Entry[]): Entry[][] {
  const calls: Entry[][] = [];
  let callBytes = 0;
  for (const entry of entries) {
    const call = calls.at(-1);
    const fits = call !== undefined && call.length < entriesMax && callBytes + entry.bytes <= entryBytesMax;
    if (fits) call.push(entry);
    else calls.push([entry]);
    callBytes = fits ? callBytes + entry.bytes : entry.bytes;
  }
  return calls;
}

/** Sends the entries of one call, and the refused ones again; gives the codes of those that were refused every time. */
async function putAll(client: EventBridgeClient, entries: PutEventsRequestEntry[]): Promise<readonly string[]> {
  let left = entries;
  let codes: string[] = [];
  for (let attempt = 1; attempt <= attemptsMax && left.length > 0; attempt++) {
    const { Entries = [] } = await asked(client.send(new PutEventsCommand({ Entries: left })));
    codes = Entries.flatMap(({ ErrorCode }) => ErrorCode ?? []);
    left = left.filter((_, n) => Entries[n]?.ErrorCode !== undefined);
  }
  return codes;
}

/**
 * EventBridge's codes for an entry that it will never take. All other codes are for permissions or transient failures,
 * and a retry may succeed.
 */
const isOfEvent = (code: string): boolean => code === 'InvalidArgument' || code === 'MalformedDetail';

/** The answer to the call. A refusal for its content is thrown as {@link Unpublishable}; 413 comes without a name. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await askService('publish', answer);
  } catch (error) {
    const { name, message, $metadata } = error as Error & { readonly $metadata?: { readonly httpStatusCode?: number } };
    if (name !== 'ValidationException' && $metadata?.httpStatusCode !== 413) throw error;
    throw new Unpublishable('bus.refused', `publish: ${name}: ${message}`, { cause: error });
  }
}
