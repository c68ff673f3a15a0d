import { MusterError } from '../errors.ts';
import { attributesOf } from './attributes.ts';
import { itemSize } from './size.ts';
import type { Change, Key } from './table.ts';

/** A row, key or commit that DynamoDB would refuse; the caller must cut it into smaller ones. */
export class TooLarge extends MusterError {
  override readonly name = 'TooLarge';
  constructor(message: string) {
    super('table.too-large', message, 'never');
  }
}

export const changesMax = 100;
export const commitBytesMax = 4 * 1024 * 1024;
export const rowBytesMax = 400 * 1024;
export const pageBytesMax = 1024 * 1024;
const partitionKeyBytesMax = 2048;
const sortKeyBytesMax = 1024;

/** Throws {@link TooLarge} for what DynamoDB would refuse, with the figures; see the service quotas in its developer guide. */
export function refuseTooLarge(changes: readonly Change[]): void {
  if (changes.length === 0 || changes.length > changesMax)
    throw new TooLarge(`a commit takes 1 to ${changesMax} changes, this one has ${changes.length}`);
  let total = 0;
  for (const change of changes) {
    refuseKey('put' in change ? change.put.key : change.check);
    if (!('put' in change)) continue;
    const bytes = itemSize(attributesOf(change.put, change.readRev + 1));
    if (bytes > rowBytesMax)
      throw new TooLarge(`row ${change.put.key.pk}|${change.put.key.sk} would be ${bytes} B, ${rowBytesMax} at most`);
    total += bytes;
  }
  if (total > commitBytesMax) throw new TooLarge(`a commit takes ${commitBytesMax} B, this one has ${total}`);
}

function refuseKey({ pk, sk }: Key): void {
  if (Buffer.byteLength(pk) > partitionKeyBytesMax)
    throw new TooLarge(`a partition key takes ${partitionKeyBytesMax} B: ${pk.slice(0, 60)}…`);
  if (Buffer.byteLength(sk) > sortKeyBytesMax) throw new TooLarge(`a sort key takes ${sortKeyBytesMax} B: ${sk.slice(0, 60)}…`);
}
