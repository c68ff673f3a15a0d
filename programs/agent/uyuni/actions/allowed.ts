import * as z from 'zod';
import type { What } from '../../../../lib/clients/actions/node-routes.ts';

/** Kinds of actions on client systems. */
export type Doing = What['do'];

const all: readonly Doing[] = ['highstate', 'packages', 'errata', 'reboot', 'command'];

/** What an agent carries out that names nothing: all but commands, which are anybody's own. */
export const usualActions: readonly Doing[] = all.filter((one) => one !== 'command');

/** Which actions a host carries out: a list with commas, or `none`. */
export const AllowedActions = z.string().transform((text, context): readonly Doing[] => {
  const names = text.split(',').map((name) => name.trim());
  if (names.length === 1 && names[0] === 'none') return [];
  const found = all.filter((one) => names.includes(one));
  if (found.length === new Set(names).size) return found;
  context.addIssue(`give some of ${all.join(',')}, or none`);
  return z.NEVER;
});
