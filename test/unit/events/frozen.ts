import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../../events/examples/', import.meta.url);
const parsed = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

/** Every frozen example by its name, `node.joined.v1`. */
export const examples = (): Map<string, object> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.json') && file !== 'frozen.json')
      .map((file) => [file.slice(0, -'.json'.length), parsed(file) as object]),
  );

/** The digest that each example had when it was frozen. */
export const frozen = (): Record<string, string> => parsed('frozen.json') as Record<string, string>;

/** SHA-256 of an example's JSON, whatever its spaces. */
export const digestOf = (example: object): string => createHash('sha256').update(JSON.stringify(example)).digest('hex');
