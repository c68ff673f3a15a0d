import { minuteMs } from '../../../../lib/core/time.ts';
import { exitCodes } from '../../../../lib/machine/command-line.ts';
import { folderAt } from '../../../../lib/machine/folder.ts';
import type { World } from '../../../../lib/machine/reactor.ts';
import { methods } from '../../../../lib/uyuni/api/methods.ts';
import type { Outcome } from '../../processes/commands.ts';
import { accountIn } from '../api/account.ts';
import { type ServerApi, ServerDown, serverApi } from '../api/server-api.ts';
import { passing } from '../cluster-mode/passing.ts';
import { ReadRefused } from '../metadata/kinds.ts';
import { type Copied, Copy, contentOf, type Difference, differencesOf, type Failure, type Understood, understood } from './copy.ts';
import { makeExportFolder, readContent, writeContent } from './folder.ts';
import type { ContentGiven, FolderGiven, ImportGiven } from './options.ts';

/** What the commands need of the program. `say` is for progress, on standard error. */
export type ContentProgram = { limit(ms: number): AbortSignal; say(line: string): void; readonly world: Pick<World, 'now'> };

/** How long a call may take: a server removes a channel with its packages, or fetches a calendar. */
export const callMs = 5 * minuteMs;

/** The exit code when the server is not as the folder says. */
const differsCode = 1;

const alike = 'the server is as the folder says';
const wantedIn = (path: string, { edited }: FolderGiven): Understood => understood(readContent(path, { edited: edited ?? false }));

/** Writes what the server has into a folder. */
export const contentExport = (path: string, given: ContentGiven, program: ContentProgram): Promise<Outcome> =>
  withServer(given, program, async (server) => {
    // A folder that cannot be written is refused before everything is read.
    makeExportFolder(path);
    const content = await contentOf(server, (kind, count) => program.say(`${kind}: ${count}`));
    const { entries, root } = writeContent(path, content);
    const data = given.json ? asJson({ entries, root }) : `${entries} documents, ${root}\n`;
    return { code: exitCodes.done, data };
  });

/** Compares the server with a folder. */
export const contentDiff = (path: string, given: FolderGiven, program: ContentProgram): Promise<Outcome> =>
  withServer(given, program, async (server) => {
    const wanted = wantedIn(path, given);
    const { failures } = wanted;
    const differences = differencesOf(wanted, await contentOf(server));
    const isAlike = differences.length + failures.length === 0;
    const code = isAlike ? exitCodes.done : differsCode;
    if (given.json) return { code, data: asJson({ differences, failures }) };
    return { code, data: linesOf(differences) + failures.map(lineOf).join(''), ...(isAlike && { talk: alike }) };
  });

/** Has the server be as a folder says. */
export const contentImport = (path: string, given: ImportGiven, program: ContentProgram): Promise<Outcome> =>
  withServer(given, program, async (server) => {
    const wanted = wantedIn(path, given);
    const said = (kind: string, counts: string): void => program.say(`${kind}: ${counts}`);
    const copied = await new Copy(server, wanted, { remove: given.remove ?? false, said }).run();
    const { counts, failures, cutShort } = copied;
    const extra = copied.differences.filter(({ is }) => is === 'extra');
    const code = cutShort ? codeOf(cutShort) : failures.length === 0 ? exitCodes.done : differsCode;
    if (given.json) return { code, data: asJson({ counts: Object.fromEntries(counts), failures, extra, cutShort: cutShort?.message }) };
    return { code, data: failures.map(lineOf).join(''), talk: outcomeOf(copied, extra.length) };
  });

/** How an import ended, in words. One that was cut short needs no undoing. */
function outcomeOf({ failures, cutShort }: Copied, extra: number): string {
  if (cutShort) return `${wordsOf(cutShort)}. What was done stays done: import again to go on`;
  const left = extra === 0 ? '' : `; the server has ${extra} more, which --remove removes`;
  return failures.length === 0 ? `${alike}${left}` : `${failures.length} of the documents could not be applied whole${left}`;
}

const codeOf = (error: ServerDown | ReadRefused): number => (error instanceof ServerDown ? exitCodes.unreachable : exitCodes.unusable);
const wordsOf = (error: ServerDown | ReadRefused): string =>
  error instanceof ServerDown ? error.message : `the server does not tell what it has (${error.message})`;

const asJson = (given: object): string => `${JSON.stringify(given, undefined, 2)}\n`;
const lineOf = ({ kind, key, why }: Failure): string => `${kind} ${key}: ${why}\n`;

const signs = { missing: '-', extra: '+', other: '~' } as const;
const linesOf = (differences: readonly Difference[]): string =>
  differences
    .map(({ kind, key, is, fields }) => `${signs[is]} ${kind} ${key}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}\n`)
    .join('');

/** The table of methods knows which are POST, though they only read. It is loaded for these commands alone. */
export const isPost = (method: string): boolean => methods.get(method)?.every(({ reads }) => !reads) ?? false;

async function withServer(given: ContentGiven, program: ContentProgram, use: (server: ServerApi) => Promise<Outcome>): Promise<Outcome> {
  const { world } = program;
  const limit = (ms: number): AbortSignal => program.limit(Math.max(ms, callMs));
  const fetching = passing(fetch, folderAt(given.home));
  const account = () => accountIn(given.uyuniAccount);
  try {
    return await use(serverApi({ account, fetching, isPost, limit, world, say: () => {} }));
  } catch (error) {
    if (error instanceof ServerDown || error instanceof ReadRefused) return { code: codeOf(error), talk: wordsOf(error) };
    throw error;
  }
}
