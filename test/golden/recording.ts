import { globSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Report } from '../../events/catalogue.ts';
import { loadFunctions } from '../../programs/local/functions.ts';
import { examples } from '../unit/events/frozen.ts';
import { knownEvents } from './coverage.ts';
import { type Files, keep, newestEnd, readRecorded, recordedFolder } from './files.ts';
import { printHistory, readHistory } from './history.ts';
import { breaches, promisesOf } from './promises.ts';
import { recorded } from './recorder.ts';
import { printEnd, readEnd, replay } from './replay.ts';
import { type Decided, decidedOn, printed, read, type Start, startOf } from './report.ts';
import { starts } from './starts.ts';
import { stories } from './stories/all.ts';

/** Everything that has a story or a start, and whether it is recorded. */
export const recordable = (files: Files = readRecorded()): { name: string; isRecorded: boolean }[] =>
  [...Object.keys(stories), ...Object.keys(starts)].map((name) => ({ name, isRecorded: files.has(fileOf(name)) }));

const partOf = (name: string): string => (Object.hasOwn(stories, name) ? `histories/${name}` : `reports/${name}`);
const fileOf = (name: string): string => `${partOf(name)}${Object.hasOwn(stories, name) ? '.jsonl' : '.start.json'}`;

/** Records a history or the start of a report, and its first end. Throws when that has been done before: it is never done again. */
export async function record(name: string, folder = recordedFolder): Promise<string[]> {
  if (!Object.hasOwn(stories, name) && !Object.hasOwn(starts, name)) throw new Error(`there is no story and no start for ${name}`);
  if (readRecorded(folder).has(fileOf(name)))
    throw new Error(
      `${name} is recorded, and is never recorded again; a new story gets a new name. If what comes of it has changed on purpose: --because <number of the decision>`,
    );
  const [inputs, end] = Object.hasOwn(stories, name) ? await newHistory(name) : newStart(name);
  const files: [string, string][] = [
    [fileOf(name), inputs],
    [`${partOf(name)}.end.1.json`, end],
  ];
  for (const [path, text] of files) keep(path, text, folder);
  return files.map(([path]) => path);
}

/** Records what comes of the same inputs now, for a reason that is written down. Throws when there is no such reason, or nothing new. */
export async function recordEnd(name: string, decision: string, folder = recordedFolder): Promise<string[]> {
  const files = readRecorded(folder);
  const last = newestEnd(files, partOf(name));
  if (!last) throw new Error(`${name} is not recorded yet`);
  const [because] = globSync(`${decision}-*.md`, { cwd: new URL('../../docs/decisions', import.meta.url) });
  if (because === undefined) throw new Error(`docs/decisions/ has no decision ${decision}: what is promised changes only for a reason`);
  const inputs = files.get(fileOf(name))!;
  const text = Object.hasOwn(stories, name) ? await endOf(name, inputs, last.text, because) : decisionsOn(name, inputs, last.text, because);
  const path = `${partOf(name)}.end.${last.number + 1}.json`;
  keep(path, text, folder);
  return [path];
}

/** The history of a story and its end; the end is that of the replay, after a look that it is the story's own. */
async function newHistory(name: string): Promise<[string, string]> {
  const { history, end } = await recorded(stories[name]!);
  const knows = knownEvents();
  const again = await replay(readHistory(printHistory(history)), await loadFunctions());
  const lost = breaches(promisesOf(end, knows), promisesOf(again, knows));
  if (lost.length > 0) throw new Error(`a replay of ${name} ends otherwise than its story:\n${lost.join('\n')}`);
  return [printHistory(history), printEnd(again, knows)];
}

function newStart(name: string): [string, string] {
  const report = exampleOf(name);
  const start = startOf(report, starts[name]!);
  return [printed(start), printed({ decided: decidedOn(report, start) })];
}

async function endOf(name: string, inputs: string, last: string, because: string): Promise<string> {
  const [before, now] = [readEnd(last), await replay(readHistory(inputs), await loadFunctions())];
  if (breaches(promisesOf(before, before.knows), promisesOf(now, before.knows)).length === 0) throw unchanged(name);
  return printEnd(now, knownEvents(), because);
}

function decisionsOn(name: string, inputs: string, last: string, because: string): string {
  const decided = decidedOn(exampleOf(name), read<Start>(inputs));
  if (isDeepStrictEqual(decided, read<{ decided: Decided[] }>(last).decided)) throw unchanged(name);
  return printed({ because, decided });
}

const unchanged = (name: string): Error => new Error(`${name} ends as it was promised: there is nothing to record`);

/** The frozen example of a report. */
export const exampleOf = (name: string): Report => Report.parse(examples().get(name));
