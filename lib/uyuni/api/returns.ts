import { type IdKind, type IdPath, idKinds } from '../merge/ids.ts';
import type { MergeRule } from '../merge/rule.ts';
import written from './returns.json' with { type: 'json' };

/**
 * What a cluster must know of the answers of a method: where ids are that each server gives by itself, and how answers
 * of several servers become one, if there can be several.
 */
export type Returns = { readonly ids: readonly IdPath[]; readonly merge?: MergeRule };

/** Before the way in which answers are merged, among the parts of a line. */
const asMerge = 'merge ';

/**
 * What methods return, by their full names, for all forms of a method together: an answer has the ids of that form
 * which was called. A method is missing if its answer holds no such id and comes from one server. From the
 * documentation of version 29 of the interface; names of members that differ there from what servers write are as
 * servers write them (`getScriptActionDetails`, `listDuplicatesBy…`).
 */
export const returns: ReadonlyMap<string, Returns> = new Map(Object.entries(written).map(([name, line]) => [name, returnsOf(line)]));

/** What is written as `merge keyed id: failedSystems; action [].id`. */
function returnsOf(line: string): Returns {
  const parts = line.split('; ');
  const [rule] = parts.filter((part) => part.startsWith(asMerge));
  const ids = parts.filter((part) => part !== rule).map(idPathOf);
  return rule === undefined ? { ids } : { ids, merge: ruleOf(rule.slice(asMerge.length)) };
}

function idPathOf(part: string): IdPath {
  const [kind, path = ''] = part.split(' ');
  const known = idKinds.find((one): one is IdKind => one === kind);
  if (known === undefined) throw new Error(`“${part}” names no kind of id`);
  return { kind: known, path };
}

function ruleOf(text: string): MergeRule {
  const [, how, key = '', counters] = /^(\w+)(?: ([^:]+))?(?:: (.+))?$/.exec(text) ?? [];
  const sums = counters?.split(', ') ?? [];
  if (how === 'keyed') return { how, key, sums };
  if (how === 'struct') return { how, sums: key.split(', ') };
  if (how === 'joined') return { how, lists: key.split(', ') };
  if (how === 'duplicates') return { how, key };
  if (how === 'concat' || how === 'map' || how === 'set') return { how };
  throw new Error(`“${text}” is no way to merge`);
}
