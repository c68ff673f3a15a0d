import { type ContentDocument, hashOfEntry } from './document.ts';
import { ContentTree, type HashedEntry } from './tree.ts';

/** Common content: of each kind that was looked at, the documents by their keys. */
export type Content = ReadonlyMap<string, ReadonlyMap<string, ContentDocument>>;

/** Every entry of some content by its hash. */
export const hashedIn = (content: Content): HashedEntry[] =>
  [...content].flatMap(([kind, documents]) =>
    [...documents].map(([key, document]) => ({ kind, key, hash: hashOfEntry({ kind, key, document }) })),
  );

/** The tree of hashes of some content. */
export const treeOf = (content: Content): ContentTree => new ContentTree(hashedIn(content));
