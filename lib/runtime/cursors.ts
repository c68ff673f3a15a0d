import { Refusal } from '../api/problem.ts';
import { cursorKeyId, mintCursor, readCursor } from '../identity/cursor.ts';
import type { Shell } from './shell.ts';

/**
 * The position in a cursor; undefined without one. Throws a {@link Refusal} for a cursor that is not ours or belongs to
 * another query.
 */
export async function positionOf(shell: Shell, cursor: string | undefined, query: string): Promise<string | undefined> {
  if (cursor === undefined) return undefined;
  const position = await positionIn(shell, cursor, query);
  if (position === undefined)
    throw new Refusal('bad-cursor', 'the cursor is invalid, or belongs to another query: start again without one', {
      errors: [{ pointer: '/cursor', detail: 'not valid here' }],
    });
  return position;
}

/** The position in a cursor; undefined for one that is not ours or belongs to another query. */
export async function positionIn(shell: Pick<Shell, 'keys'>, cursor: string, query: string): Promise<string | undefined> {
  const keyId = cursorKeyId(cursor);
  const key = keyId === undefined ? undefined : await shell.keys.byId(keyId);
  return key && readCursor(cursor, query, key);
}

/** A position that {@link positionAt} made. */
export const parted = (position: string): [list: number, after: string | undefined] => {
  const slash = position.indexOf('/');
  return [Number(position.slice(0, slash)), position.slice(slash + 1) || undefined];
};

/** The position behind an entry of one of several lists, or at its beginning. */
export const positionAt = (list: number, after: string | undefined): string => `${list}/${after ?? ''}`;

/** The cursor for a position in the results of a query. */
export const cursorAt = async (shell: Pick<Shell, 'keys'>, position: string, query: string): Promise<string> =>
  mintCursor(position, query, await shell.keys.current());
