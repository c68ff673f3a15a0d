import { type Bug, patch } from '../bug.ts';

/** Mistakes with what is known about client systems. */
export const metadataBugs: readonly Bug[] = [
  {
    name: 'a-summary-without-its-document',
    breaks: 'metadata-that-was-answered-stays-and-arrives',
    why: 'whoever put a document is answered its revision, and nothing but that is kept',
    foundIn: { world: 'noted', seed: 2 },
    patches: [patch('      ...(await pageChanges(reading, client, order.kind, { revision, pages, because })),\n', '')],
  },
  {
    name: 'a-node-is-told-once',
    breaks: 'metadata-that-was-answered-stays-and-arrives',
    why: 'a node that has heard that metadata changed will ask for it, whenever it changes again',
    foundIn: { world: 'annotated', seed: 1 },
    patches: [patch('one.system === system && one.revision >= revision', 'one.system === system')],
  },
];
