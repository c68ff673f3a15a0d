import { returns } from '../api/returns.ts';

/** The part of an action of the cluster that one node has: its number there. */
export type ActionPart = { readonly node: string; readonly id: number };

/** What numbers of actions in a call stand for; a number that is not known is missing. */
export type KnownActions = ReadonlyMap<number, readonly ActionPart[]>;

/** Whether a method answers with the number of an action, or a list of them, that it has scheduled. */
export const schedulesActions = (name: string): boolean =>
  returns.get(name)?.ids.some(({ kind, path }) => kind === 'action' && (path === '' || path === '[]')) ?? false;

/** Whether a method lists actions with their counters. */
export const listsActions = (name: string): boolean => {
  const known = returns.get(name);
  return known?.merge?.how === 'keyed' && known.ids.some(({ kind, path }) => kind === 'action' && path === '[].id');
};
