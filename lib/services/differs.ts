import { isSame } from '../core/decision.ts';
import { pointerOf } from '../core/defect.ts';
import { comparedConfiguration } from './rows/secrets.ts';

/** The maximum number of places that are named, and the maximum length of each pointer. */
const [placesMax, pointerMax] = [16, 200];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns where two JSON documents differ, as JSON pointers (RFC 6901) without the values, which may be secrets. Lists
 * are compared as a whole. Only the first places are named. A place whose pointer is too long is named by the object
 * that contains it.
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

/** Returns where two configurations of a schema, given as JSON text, differ. It names nothing inside a secret. */
export const differsBetween = (schemaText: string | undefined, before: string, after: string): string[] =>
  differsAt(comparedConfiguration(schemaText, before), comparedConfiguration(schemaText, after));

/** Lists places of a document for use in a sentence. */
export const placesOf = (pointers: readonly string[]): string => pointers.map((at) => at || 'the root').join(', ');

/** Whether two configurations, given as JSON text, are equal. */
export const isSameConfiguration = (a: string, b: string): boolean => isSame(JSON.parse(a), JSON.parse(b));
