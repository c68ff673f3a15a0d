/**
 * The rooms of `lib/`: one for each noun, and in it files of several kinds. The name of a file, or of a folder around
 * it, says which kind it is, and the kind says what it may import. What has no other kind is pure.
 */
export const kinds = ['row', 'pure', 'view', 'routes', 'reactions', 'reads', 'changes', 'verify', 'handlers'] as const;
export type Kind = (typeof kinds)[number] | 'foundation' | 'contract' | 'assembly';

/**
 * Where a file belongs: its room is the first folder below `lib/`, its folder what is left of its path without the
 * folder that names its kind.
 */
export type Place = { readonly room: string; readonly folder: string; readonly kind: Kind };

/** What every room rests on. They know no noun, and are no rooms themselves. */
const foundations = ['core', 'identity', 'ports', 'api', 'machine', 'runtime'];

/** The rooms: one for each noun, one for who may call, and the assembly. A new noun gets its line here. */
const rooms = [
  ...[
    'access',
    'assembly',
    'audit',
    'clients',
    'content',
    'dead-letters',
    'deployment',
    'graph',
    'journal',
    'mero',
    'nodes',
    'page',
    'search',
  ],
  ...['services', 'stations', 'uyuni', 'webhooks', 'zones'],
];

/** A document format, or a language, is pure through and through: others read it as they read rows. */
const languages = [
  'mero/facts',
  'search/language',
  'search/segment',
  'search/systems',
  'uyuni/xml-rpc',
  'uyuni/outbox',
  'uyuni/merge',
  'uyuni/content',
];

/** Folders that name a kind, as `handlers/` does. */
const byFolder: Readonly<Record<string, Kind>> = {
  rows: 'row',
  view: 'view',
  reactions: 'reactions',
  reads: 'reads',
  changes: 'changes',
  handlers: 'handlers',
  tick: 'handlers',
};

const byName: readonly (readonly [RegExp, Kind])[] = [
  [/(^|-)view$/, 'view'],
  [/(^|-)routes$/, 'routes'],
  [/^reactions$/, 'reactions'],
  [/^reads$/, 'reads'],
  [/^changes$/, 'changes'],
  [/^verify-/, 'verify'],
  [/^(handlers|tick)$/, 'handlers'],
];

/** The place of a file of `lib/`; undefined for any other. */
export function placeOf(path: string): Place | undefined {
  const [top, ...rest] = path.replace(/\.ts$/, '').split('/');
  if (top !== 'lib') return undefined;
  const base = rest.pop()!;
  const [room] = rest;
  if (room === undefined && !/(^|-)contract$/.test(base)) return undefined;
  if (room === undefined || room === 'openapi') return { room: 'contract', folder: 'contract', kind: 'contract' };
  if (foundations.includes(room)) return { room, folder: rest.slice(0, 2).join('/'), kind: 'foundation' };
  const named = byName.find(([name]) => name.test(base))?.[1];
  if (!rooms.includes(room)) return undefined;
  if (room === 'assembly')
    return named === 'routes' ? { room, folder: rest.join('/'), kind: 'routes' } : { room, folder: room, kind: 'assembly' };
  const at = rest.findIndex((folder, depth) => depth > 0 && byFolder[folder] !== undefined);
  if (at > 0) return { room, folder: rest.slice(0, at).join('/'), kind: byFolder[rest[at]!]! };
  const folder = rest.join('/');
  if (named !== undefined) return { room, folder, kind: named };
  const language = languages.find((one) => folder === one || folder.startsWith(`${one}/`));
  if (language !== undefined) return { room, folder: language, kind: 'row' };
  // Who calls, and what they may, is asked for by every handler.
  if (folder === 'access') return { room, folder, kind: 'verify' };
  return { room, folder, kind: isRow(base, rest) ? 'row' : 'pure' };
}

/**
 * A row file is called as its folder is, or as one of what the folder holds: `nodes/node.ts`,
 * `join-tokens/join-token.ts`, `mero/nodes/mero-node.ts`.
 */
function isRow(base: string, folders: readonly string[]): boolean {
  const [room, folder] = [folders[0]!, folders.at(-1)!];
  const one = [folder, folder.replace(/ies$/, 'y'), folder.replace(/s$/, ''), folder.replace(/ses$/, 's')];
  return one.some((name) => base === name || base === `${room}-${name}`);
}

/** What a kind may import: kinds of its own room, kinds of any room, and which foundations. */
type May = { readonly own: readonly Kind[]; readonly any: readonly Kind[]; readonly on: readonly string[]; readonly why: string };

const values = ['core', 'identity'];
const everything = [...values, 'api', 'ports', 'runtime'];

export const may: Readonly<Record<(typeof kinds)[number], May>> = {
  row: {
    own: ['row'],
    any: ['row'],
    on: values,
    why: 'a row file says what a noun is: its schema, its states and moves, and what can be read from them',
  },
  pure: {
    own: ['row', 'pure'],
    any: ['row'],
    on: values,
    why: 'what has no other kind is pure: it meets other nouns through their rows, and never sees where rows are kept',
  },
  reactions: {
    own: ['row', 'pure'],
    any: ['row'],
    on: values,
    why: 'a reaction says what follows for this noun from a decision about another, in the same commit, and nothing else',
  },
  view: {
    own: ['row', 'pure', 'view', 'routes'],
    any: ['row', 'view', 'routes'],
    on: [...values, 'api'],
    why: 'a view turns rows into what the contract shows, and knows nothing else',
  },
  routes: {
    own: ['row', 'routes'],
    any: ['row', 'routes'],
    on: [...values, 'api'],
    why: 'routes are read by programs outside, which must not pull in what answers them',
  },
  reads: {
    own: ['row', 'pure', 'view', 'routes', 'reads', 'verify'],
    any: ['row', 'view', 'routes', 'reads', 'verify'],
    on: everything,
    why: 'reads are for other nouns too: they write nothing, and know no handler',
  },
  changes: {
    own: ['row', 'pure', 'view', 'routes', 'reactions', 'reads', 'changes', 'verify'],
    any: ['row', 'view', 'routes', 'reactions', 'reads', 'changes', 'verify'],
    on: everything,
    why: 'changes are what other nouns have done to this one, in a plan or at once: they know no handler',
  },
  verify: {
    own: ['row', 'pure', 'routes', 'reads', 'verify', 'handlers'],
    any: ['row', 'routes', 'reads', 'verify'],
    on: everything,
    why: 'who calls is found out by rows and keys alone',
  },
  handlers: {
    own: ['row', 'pure', 'view', 'routes', 'reactions', 'reads', 'changes', 'verify', 'handlers'],
    any: ['row', 'view', 'routes', 'reads', 'changes', 'verify'],
    on: everything,
    why: 'a handler decides by what is pure of its own noun; of others it has their reads and changes',
  },
};
