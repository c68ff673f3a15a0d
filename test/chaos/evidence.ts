import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Report } from '../../events/catalogue.ts';
import type { ApiClient } from '../../lib/api/client.ts';
import type { ReplyOf } from '../../lib/api/route.ts';
import type { Client } from '../../lib/clients/client.ts';
import { contract } from '../../lib/contract.ts';
import type { NodeId } from '../../lib/core/ids.ts';
import type { Node } from '../../lib/nodes/node.ts';
import { rowOf } from '../../lib/ports/table/attributes.ts';
import { parseAttributes } from '../../lib/ports/table/json.ts';
import { ownerOf } from '../../lib/ports/table/keys.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import type { HistoryEntry } from '../../lib/runtime/on-feed.ts';
import { atMost } from '../../programs/loadtest/at-most.ts';
import type { Acknowledged } from './acknowledged.ts';
import type { Followed } from './subscriber.ts';

export type History = ReplyOf<typeof contract.history>['items'];

/** What a state file holds, as far as the rules look at it. */
export type Stored = {
  readonly nodes: ReadonlyMap<NodeId, Node>;
  readonly clients: ReadonlyMap<string, Client>;
  /** How many events each subject has had, by its own count. */
  readonly eventSeqs: ReadonlyMap<string, number>;
  /** Reports that are still in a queue. */
  readonly waiting: readonly Report[];
  /** When the file was read. */
  readonly restAt: number;
  /** Whether committed events are still to go out. */
  readonly isPublishing: boolean;
  /** Ids of the reports that were put aside, which an operator can see and redrive. */
  readonly dead: ReadonlySet<string>;
  readonly history: ReadonlyMap<string, History>;
};

/** Everything that the rules are checked on. */
export type Evidence = {
  readonly ack: Acknowledged;
  readonly stored: Stored;
  readonly history: ReadonlyMap<string, History>;
  readonly followed: Followed;
};

/**
 * What the state file in a folder holds; its host has ended. The file is left as it is, also a log that nobody has
 * folded yet.
 */
export function storedIn(home: string): Stored {
  const db = new DatabaseSync(join(home, 'muster.db'), { readOnly: true });
  const textsOf = (sql: string): string[] =>
    db
      .prepare(sql)
      .all()
      .map(({ text }) => String(text));
  const rows = textsOf('SELECT attributes AS text FROM rows ORDER BY pk, sk').map((text) => rowOf(parseAttributes(text)));
  const waiting = textsOf('SELECT body AS text FROM messages').map((text) => JSON.parse(text) as Report);
  const unpublished = textsOf(
    'SELECT position AS text FROM feed WHERE position > (SELECT coalesce(min(position), 0) FROM consumers) LIMIT 1',
  );
  db.close();
  const stored = { nodes: new Map(), clients: new Map(), eventSeqs: new Map(), dead: new Set<string>(), history: new Map() };
  for (const row of rows) take(stored, row);
  return { ...stored, waiting, restAt: Date.now(), isPublishing: unpublished.length > 0 };
}

type Taking = {
  readonly nodes: Map<NodeId, Node>;
  readonly clients: Map<string, Client>;
  readonly eventSeqs: Map<string, number>;
  readonly dead: Set<string>;
  readonly history: Map<string, History>;
};

function take({ nodes, clients, eventSeqs, dead, history }: Taking, { key, body, eventSeq }: Row): void {
  const { noun, id } = ownerOf(key);
  if (noun === 'dead') for (const report of idsIn(body)) dead.add(report);
  if (noun === 'node' && key.sk === 'node') nodes.set(id as NodeId, body as Node);
  if (noun === 'client') clients.set(id, body as Client);
  if (noun === 'history') {
    const subject = id.replace(':', '/');
    const entry = body as HistoryEntry;
    history.set(subject, [...(history.get(subject) ?? []), { ...entry, at: new Date(entry.at).toISOString() } as History[number]]);
  } else if (eventSeq > 0) eventSeqs.set(`${noun}/${id}`, Math.max(eventSeq, eventSeqs.get(`${noun}/${id}`) ?? 0));
}

/** The id of the report in a dead letter; none where there is none to be read. */
function idsIn(letter: unknown): string[] {
  try {
    return [String((JSON.parse((letter as { message: string }).message) as { id: unknown }).id)];
  } catch {
    return [];
  }
}

/** Calls that read history at the same time. */
const readersMax = 16;

/** The whole history of these subjects over the wire; of one that the API does not know it is empty. */
export async function historyOf(subjects: Iterable<string>, plain: ApiClient): Promise<Map<string, History>> {
  const api = atMost(readersMax).of(plain);
  const read = async (subject: string): Promise<[string, History]> => {
    const [kind, id] = subject.split('/') as ['node', string];
    const items: History = [];
    for (;;) {
      const answer = await api(contract.history, { params: { kind, id }, query: { after: items.at(-1)?.seq ?? 0, limit: 200 } });
      if (!answer.ok) return [subject, items];
      items.push(...answer.body.items);
      if (!answer.body.more) return [subject, items];
    }
  };
  return new Map(await Promise.all([...subjects].map(read)));
}
