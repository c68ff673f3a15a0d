import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { Later } from '../errors.ts';
import { askService } from '../storage/weather.ts';
import type { Bus, Envelope } from './bus.ts';

/** EventBridge takes 10 entries and 256 KB in one call; some of each entry's bytes are names that we do not count. */
const entriesMax = 10;
const bytesMax = 240 * 1024;

/** How often an entry is sent before it is left to the caller: EventBridge refuses single entries of a call that succeeded. */
const attemptsMax = 3;

/** Where events go: a bus, and the `source` that rules match. */
export type EventBridgeOptions = { readonly client: EventBridgeClient; readonly busName: string; readonly source?: string };

/** The bus in EventBridge: `detail-type` is the event's type, `detail` its whole envelope. */
export const eventBridgeBus = ({ client, busName, source = 'muster' }: EventBridgeOptions): Bus => ({
  publish: async (events) => {
    const entries = events.map((event) => entryOf(event, busName, source));
    const codes = new Set<string>();
    for (const call of callsOf(entries)) for (const code of await putAll(client, call)) codes.add(code);
    if (codes.size > 0) throw new Later('bus.refused', `${busName} did not accept all of ${events.length} events: ${[...codes].join()}`);
  },
});

const entryOf = (event: Envelope, busName: string, source: string): PutEventsRequestEntry => ({
  EventBusName: busName,
  Source: source,
  DetailType: event.type,
  Detail: JSON.stringify(event),
});

/** The entries in calls that are neither too many nor too large. */
function callsOf(entries: readonly PutEventsRequestEntry[]): PutEventsRequestEntry[][] {
  const calls: PutEventsRequestEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const entryBytes = Buffer.byteLength(entry.Detail!);
    const call = calls.at(-1);
    if (call && call.length < entriesMax && bytes + entryBytes <= bytesMax) call.push(entry);
    else calls.push([entry]);
    bytes = call === calls.at(-1) ? bytes + entryBytes : entryBytes;
  }
  return calls;
}

/** Sends the entries of one call, and those again that were refused; the codes of those that were refused to the last. */
async function putAll(client: EventBridgeClient, entries: PutEventsRequestEntry[]): Promise<readonly string[]> {
  let left = entries;
  let codes: string[] = [];
  for (let attempt = 1; attempt <= attemptsMax && left.length > 0; attempt++) {
    const { Entries = [] } = await askService('publish', client.send(new PutEventsCommand({ Entries: left })));
    codes = Entries.flatMap(({ ErrorCode }) => ErrorCode ?? []);
    left = left.filter((_, n) => Entries[n]?.ErrorCode !== undefined);
  }
  return codes;
}
