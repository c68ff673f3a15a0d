import { folderAt } from '../../lib/machine/folder.ts';
import type { OutboxRow } from '../../lib/uyuni/outbox/row.ts';
import { type ChangeReport, Feed, type Sent } from '../../programs/agent/uyuni/feed.ts';
import { readRows } from '../../programs/agent/uyuni/outbox.ts';
import { databaseBy } from '../../programs/agent/uyuni/reporting.ts';
import type { DatabaseAddress } from '../../programs/agent/uyuni/rhn-conf.ts';
import { connectTo, type Session } from '../../programs/agent/uyuni/session.ts';
import type { PlayedServer } from '../../tools/support/uyuni/played-server.ts';

/** How an agent reaches the database of a played server, as its configuration says. */
export const addressOf = ({ postgres, reach }: PlayedServer): DatabaseAddress => ({
  host: postgres.folder,
  port: 5432,
  database: String(reach.database),
  user: String(reach.user),
  password: String(reach.password),
});

/** A connection of its own to a played server. */
export const sessionWith = (server: PlayedServer): Promise<Session> => connectTo(addressOf(server));

/** What the rows that can be read say, without what differs from run to run. */
export const shown = async (session: Session) =>
  (await readRows(session, 1_000)).map(({ kind, op, source, entries, count }: OutboxRow) => ({ kind, op, source, entries, count }));

/** Whose count the numbers of a feed's reports are. */
export const aSource = 'a-source-of-tests';

/** A feed, the reports that were sent, what is answered to the next ones, and what happens meanwhile. */
export type WatchedFeed = {
  readonly feed: Feed;
  readonly sent: ChangeReport[];
  readonly lines: string[];
  /** Answers to the next reports, in order; then every report is taken. */
  readonly answers: Sent[];
  onSent: () => void;
};

/** A feed of a played server, with its memory in a folder; one that has none begins as if all had been looked at. */
export function aFeed(server: PlayedServer, home: string, more: Partial<DatabaseAddress> = {}): WatchedFeed {
  const [sent, lines, answers]: [ChangeReport[], string[], Sent[]] = [[], [], []];
  const folder = folderAt(home);
  if (folder.read('uyuni.json') === undefined) folder.write('uyuni.json', JSON.stringify({ version: 1, source: aSource, seq: 0 }));
  const send = async (report: ChangeReport): Promise<Sent> => {
    sent.push(report);
    watched.onSent();
    return answers.shift() ?? { is: 'taken' };
  };
  const address = { ...addressOf(server), ...more };
  const feed = new Feed({
    folder,
    ...databaseBy(() => address),
    newSource: () => 'a-source-made-anew',
    send,
    say: (line) => void lines.push(line),
  });
  const watched: WatchedFeed = { feed, sent, lines, answers, onSent: () => undefined };
  return watched;
}
