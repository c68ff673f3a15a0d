import { published, reported } from '../../events/catalogue.ts';
import { eventName, reportedAs } from '../../events/json-schemas.ts';
import { type Files, newestEnd } from './files.ts';
import { messagesOf, readHistory } from './history.ts';
import { nameIn } from './promises.ts';
import { readEnd } from './replay.ts';

/** The names of all published events that the catalogue has now. */
export const knownEvents = (): string[] => Object.entries(published).map(([type, event]) => eventName(type, event));
const knownReports = (): string[] => Object.entries(reported).map(([type, report]) => eventName(reportedAs(type), report));

/** The names of all histories. */
export const historyNames = (files: Files): string[] =>
  [...files.keys()].flatMap((path) => /^histories\/(.*)\.jsonl$/.exec(path)?.[1] ?? []);

/** What has no story yet: a load of facts, which is many calls. */
const awaited = /^cluster\.loaded\./;

/** Every version of a report or event of the catalogue that no history has, each with what to do about it. */
export function unrecorded(files: Files): string[] {
  const names = historyNames(files);
  const carried = names.flatMap((name) =>
    messagesOf(readHistory(files.get(`histories/${name}.jsonl`)!)).map(({ body }) => {
      const { type, version } = reportIn(body);
      return `${typeof type === 'string' ? reportedAs(type) : type}.v${version}`;
    }),
  );
  const concluded = names.flatMap((name) =>
    readEnd(newestEnd(files, `histories/${name}`)!.text).published.map((one) => nameIn(one.dataschema)),
  );
  const has = new Set([...carried, ...concluded]);
  return [...knownReports(), ...knownEvents()]
    .filter((name) => !has.has(name) && !awaited.test(name))
    .map(
      (name) =>
        `no history has ${name}: tell a story that has it in test/golden/stories/, and record it: node test/golden/record.ts <name>`,
    );
}

/** A message that nobody can read is in a history too. */
function reportIn(body: string): { type?: unknown; version?: unknown } {
  try {
    return JSON.parse(body) as { type?: unknown; version?: unknown };
  } catch {
    return {};
  }
}
