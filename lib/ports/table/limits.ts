import { Conflict, MusterError } from '../../core/errors.ts';
import { type Attributes, attributesOf } from './attributes.ts';
import { itemSize } from './size.ts';
import { type Change, isList, type Key, nameOf, type Value } from './table.ts';

/** A row, key or commit that DynamoDB would refuse as too large; the caller must split it. */
export class TooLarge extends MusterError {
  override readonly name = 'TooLarge';
  constructor(message: string) {
    super('table.too-large', message, 'never');
  }
}

/** A change that DynamoDB would refuse at any size: an empty key, a number out of range, a row named twice. */
export class NotStorable extends MusterError {
  override readonly name = 'NotStorable';
  constructor(message: string) {
    super('table.not-storable', message, 'never');
  }
}

/*
 * DynamoDB's quotas, from its developer guide ("Service, account, and table quotas").
 */
/** Changes in one commit, checks included. */
export const changesMax = 100;
/** Bytes of all rows of one commit together. */
export const commitBytesMax = 4 * 1024 * 1024;
/** Bytes of one row, names and keys included. */
export const rowBytesMax = 400 * 1024;
/** Bytes of the rows on one page of a query. */
export const pageBytesMax = 1024 * 1024;
/** Keys in one `readMany`. */
export const keysMax = 100;
/** Levels of nested maps and lists in one attribute. */
export const nestingMax = 31;
const partitionKeyBytesMax = 2048;
const sortKeyBytesMax = 1024;
/** One less than DynamoDB's, so that its adapter can name the key right after it when it pages. */
const indexSortKeyBytesMax = 1023;

/** A change that may be stored: its key, the revision it replaces, and for a put the content. */
export type Admitted = {
  readonly key: Key;
  readonly readRev: number;
  readonly put?: { readonly attributes: Attributes; readonly bytes: number };
};

/**
 * The changes as they will be stored. Throws {@link TooLarge} or {@link NotStorable}, with the figures, for changes
 * that DynamoDB would refuse.
 */
export function admit(changes: readonly Change[]): readonly Admitted[] {
  if (changes.length === 0 || changes.length > changesMax)
    throw new TooLarge(`the commit has ${changes.length} changes; the limits are 1 to ${changesMax}`);
  const admitted = changes.map(admitChange);
  const total = admitted.reduce((sum, { put }) => sum + (put?.bytes ?? 0), 0);
  if (total > commitBytesMax) throw new TooLarge(`the commit has ${total} B; the limit is ${commitBytesMax} B`);
  refuseTwice(admitted);
  return admitted;
}

/**
 * Throws {@link Conflict} naming the first change whose row is no longer at the revision it was read at; `revs` as they
 * are now, in order.
 */
export function refuseMoved(changes: readonly Admitted[], revs: readonly number[]): void {
  changes.forEach(({ key, readRev }, n) => {
    const rev = revs[n];
    if (rev !== readRev) throw new Conflict(`${key.pk}|${key.sk}`, `row ${key.pk}|${key.sk} is at rev ${rev}, not ${readRev}`);
  });
}

/** The keys by name, each once. Throws {@link TooLarge} if they are more than DynamoDB reads at once. */
export function distinctKeys(keys: readonly Key[]): ReadonlyMap<string, Key> {
  const distinct = new Map(keys.map((key) => [nameOf(key), key]));
  if (distinct.size > keysMax) throw new TooLarge(`the read has ${distinct.size} rows; the limit is ${keysMax} at once`);
  return distinct;
}

function admitChange(change: Change): Admitted {
  const key = 'put' in change ? change.put.key : change.check;
  refuseKey(key, 'key', sortKeyBytesMax);
  if (!('put' in change)) return { key, readRev: change.readRev };
  const { list, edge } = change.put;
  if (list) refuseKey(list, 'list key', indexSortKeyBytesMax);
  if (edge) refuseKey(edge, 'edge key', indexSortKeyBytesMax);
  const attributes = attributesOf(change.put, change.readRev + 1);
  for (const name in attributes) refuseValue(attributes[name], 0, `${name} of row ${key.pk}|${key.sk}`);
  const bytes = itemSize(attributes);
  if (bytes > rowBytesMax) throw new TooLarge(`row ${key.pk}|${key.sk} would be ${bytes} B; the limit is ${rowBytesMax} B`);
  return { key, readRev: change.readRev, put: { attributes, bytes } };
}

function refuseKey({ pk, sk }: Key, what: string, sortBytesMax: number): void {
  if (pk === '' || sk === '') throw new NotStorable(`a part of the ${what} is empty: '${pk}' and '${sk}'`);
  if (Buffer.byteLength(pk) > partitionKeyBytesMax)
    throw new TooLarge(`the partition part of a ${what} has more than ${partitionKeyBytesMax} B: ${pk.slice(0, 60)}…`);
  if (Buffer.byteLength(sk) > sortBytesMax)
    throw new TooLarge(`the sort part of a ${what} has more than ${sortBytesMax} B: ${sk.slice(0, 60)}…`);
}

function refuseValue(value: Value | undefined, depth: number, where: string): void {
  if (typeof value === 'number') refuseNumber(value, where);
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return;
  if (depth === nestingMax) throw new NotStorable(`${where} is nested deeper than ${nestingMax} levels`);
  if (isList(value)) for (const element of value) refuseValue(element, depth + 1, where);
  else for (const name in value) refuseValue(value[name], depth + 1, where);
}

function refuseNumber(value: number, where: string): void {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-130 && magnitude < 1e126)) return;
  throw new NotStorable(`${where} is ${value}; DynamoDB stores 0 and numbers from 1e-130 to 1e126`);
}

function refuseTwice(changes: readonly Admitted[]): void {
  const seen = new Set<string>();
  for (const { key } of changes) {
    if (seen.has(nameOf(key))) throw new NotStorable(`the commit names row ${key.pk}|${key.sk} twice`);
    seen.add(nameOf(key));
  }
}
