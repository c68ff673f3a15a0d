/** A key attribute of the table or of an index: its name in the item, and whether it is a string or a number. */
export type KeyAttribute = { readonly name: string; readonly type: 'S' | 'N' };

/** An index: the names of its key attributes, in an item that is in the index. */
export type IndexSchema = { readonly name: IndexName; readonly partitionKey: KeyAttribute; readonly sortKey: KeyAttribute };
export type IndexName = 'due' | 'list' | 'inverse';

/**
 * The table as plain data: the CDK stack and local set-ups make the table from it, and the meter counts index entries
 * by it. Every index has keys only and is sparse: an item is in it when it has both attributes.
 */
export const tableSchema: {
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute;
  readonly timeToLive: string;
  readonly indexes: readonly IndexSchema[];
} = {
  partitionKey: { name: 'pk', type: 'S' },
  sortKey: { name: 'sk', type: 'S' },
  timeToLive: 'ttl',
  indexes: [
    { name: 'due', partitionKey: { name: 'due', type: 'N' }, sortKey: { name: 'wakeAt', type: 'N' } },
    { name: 'list', partitionKey: { name: 'lpk', type: 'S' }, sortKey: { name: 'lsk', type: 'S' } },
    { name: 'inverse', partitionKey: { name: 'ipk', type: 'S' }, sortKey: { name: 'isk', type: 'S' } },
  ],
};

/** The schema of one index. */
export const indexSchema = (index: IndexName): IndexSchema => tableSchema.indexes.find(({ name }) => name === index)!;
