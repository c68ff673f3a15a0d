import { createHash } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson } from '../../../../lib/core/json.ts';
import { ActionEntry } from './documents.ts';
import type { Ask } from './kinds.ts';
import { beyond } from './plans.ts';

/** The kind under which Muster keeps the history of actions, from all nodes that a system was on. */
export const historyKind = 'actions';
/** How many of the newest events of a system are read. */
const eventsMax = 200;
/** The most entries of one call: with the longest names, half of what a call may carry. */
export const entriesMax = 25;

const Events = z.array(
  z.object({
    history_type: z.string().nullish(),
    status: z.string().nullish(),
    summary: z.string().nullish(),
    completed: z.string().nullish(),
  }),
);
/** Actions that have ended; other events are about this server alone, such as that a system was registered. */
const ended = ['Completed', 'Failed'];

/** The actions of a system that have ended on this node, oldest first. */
export async function actionsOf(ask: Ask, sid: number, node: string): Promise<ActionEntry[]> {
  const events = await ask('system.getEventHistory', { sid, offset: 0, limit: eventsMax }, Events);
  return events
    .flatMap(({ history_type: type, status, summary, completed }) =>
      completed && status && ended.includes(status) ? [{ node, type: type ?? '', summary: summary ?? '', status, completed }] : [],
    )
    .toSorted((a, b) => (a.completed < b.completed ? -1 : a.completed > b.completed ? 1 : 0));
}

/** The entries in a history of Muster; what else is in it is left alone. */
export const entriesIn = (document: unknown): ActionEntry[] =>
  (Array.isArray(document) ? document : []).flatMap((entry: unknown) => {
    const read = ActionEntry.safeParse(entry);
    return read.success ? [read.data] : [];
  });

/**
 * The actions of a node that a history lacks. What is older than the oldest entry of that node is in it no longer: a
 * history is bounded, and drops its oldest.
 */
export function lackingIn(history: readonly ActionEntry[], actions: readonly ActionEntry[]): ActionEntry[] {
  const own = history.filter(({ node }) => node === actions[0]?.node);
  const oldest = own.reduce<string | undefined>(
    (low, { completed }) => (low === undefined || completed < low ? completed : low),
    undefined,
  );
  return beyond(actions, own).filter(({ completed }) => oldest === undefined || completed >= oldest);
}

/** The id of a report of these entries, so that repeating it appends nothing. */
export const reportIdOf = (entries: readonly ActionEntry[]): string => createHash('sha256').update(canonicalJson(entries)).digest('hex');
