import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Client, ClientAlias } from '../../lib/clients/client.ts';
import { ClaimKeys } from '../../lib/clients/rows/claims.ts';
import { SystemsPage } from '../../lib/clients/systems/rows/list.ts';
import type { RefMaker } from '../../lib/core/ref.ts';
import { Deployment } from '../../lib/deployment/deployment.ts';
import { DigestRow } from '../../lib/nodes/digests/digest.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { Key, Row } from '../../lib/ports/table/table.ts';

type Maker = RefMaker<unknown, string, readonly string[]>;
const isMaker = (value: unknown): value is Maker => typeof value === 'function' && 'noun' in value && 'schema' in value;

const root = join(import.meta.dirname, '../..');
/** Every maker of references of lib/: it knows what the rows hold that it names. */
const makers: readonly Maker[] = (
  await Promise.all(
    globSync('lib/**/*.ts', { cwd: root })
      .filter((file) => readFileSync(join(root, file), 'utf8').includes('= refOf('))
      .map(async (file) => Object.values((await import(join(root, file))) as object).filter(isMaker)),
  )
).flat();

/** The sort keys in these partitions are names: they tell no kinds apart. */
const ofOneKind = new Set(['deliveries', 'service-resources']);
/** The kind of a row by its key, `noun/kind of row`. */
function kindOf({ pk, sk }: Key): string {
  const lead = pk.split('#')[0]!;
  return ofOneKind.has(lead) ? lead : `${lead}/${sk.split('#')[0]}`;
}

/** An id of a noun for each way in which ids are written. */
const ids = ['a', 'a/1', 'a/1.1', 'a/k:1', 'a/0x7200000000000001:0x1'];
const keyOfSome = (noun: string): Key => {
  const keys = ids.flatMap((id) => {
    try {
      return [keyOf({ noun, id })];
    } catch {
      return [];
    }
  });
  return keys.find(({ pk, sk }) => !/undefined|NaN/.test(pk + sk))!;
};

/** The schema of a row by its kind; rows of other kinds have none that they are read by. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(makers.map(({ noun, schema }) => [kindOf(keyOfSome(noun)), schema])),
  // Rows that no reference names by what they hold.
  'node/digest': DigestRow,
  'node/list': SystemsPage,
  'client/client': z.union([Client, ClientAlias]),
  'machine-id/machine-id': ClaimKeys,
  'system-name/system-name': ClaimKeys,
  'deployment/deployment': Deployment,
};

/** The kinds of row that have a schema here. */
export const kindsRead: readonly string[] = Object.keys(schemas);

/** The rows that today's schemas do not take any more, each with the first fault. */
export const unreadable = (rows: readonly Row[]): string[] =>
  rows.flatMap((row) => {
    const issue = schemas[kindOf(row.key)]?.safeParse(row.body).error?.issues[0];
    return issue ? [`${kindOf(row.key)} ${row.key.pk}: /${issue.path.join('/')} ${issue.message}`] : [];
  });

/** The kinds of the rows that have a schema here, each once. */
export const kindsIn = (rows: readonly Row[]): string[] =>
  [...new Set(rows.map(({ key }) => kindOf(key)))].filter((kind) => kind in schemas).sort();
