import { isSame } from '../core/decision.ts';
import { pointerOf } from '../core/defect.ts';
import { comparedConfiguration } from './rows/secrets.ts';

/** How many places are named at the most, and how long each is. */
const [placesMax, pointerMax] = [16, 200];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Where two documents of JSON differ, as JSON pointers (RFC 6901) without their values, which may be secrets. Lists are
 * compared as a whole. Of many places the first are named, and of one that takes too long to name the object that it is
 * in.
 */
export function differsAt(before: unknown, after: unknown): string[] {
  const found = new Set<string>();
  const walk = (a: unknown, b: unknown, at: string): void => {
    if (found.size >= placesMax || isSame(a, b)) return;
    if (!isObject(a) || !isObject(b)) {
      found.add(at);
      return;
    }
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const inner = [a, b].map((one) => (Object.hasOwn(one, name) ? one[name] : undefined));
      const to = `${at}${pointerOf([name])}`;
      if (to.length <= pointerMax) walk(inner[0], inner[1], to);
      else if (!isSame(inner[0], inner[1])) found.add(at);
    }
  };
  walk(before, after, '');
  return [...found];
}

/** Where two configurations of a schema, as JSON text, differ: nothing of what is in a secret is named. */
export const differsBetween = (schemaText: string | undefined, before: string, after: string): string[] =>
  differsAt(comparedConfiguration(schemaText, before), comparedConfiguration(schemaText, after));

/** Places of a document as a sentence names them. */
export const placesOf = (pointers: readonly string[]): string => pointers.map((at) => at || 'its whole').join(', ');

/** Whether two configurations, as JSON text, say the same. */
export const isSameConfiguration = (a: string, b: string): boolean => isSame(JSON.parse(a), JSON.parse(b));
