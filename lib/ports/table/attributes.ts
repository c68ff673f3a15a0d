import { dueShardOf } from './keys.ts';
import { type Actor, emitsOf, type Row, type RowContent, removableAt, type StateReason, type Value } from './table.ts';

/** A row as named attributes: the form that DynamoDB stores, and from which sizes and units are counted. */
export type Attributes = { readonly [name: string]: Value | undefined };

/**
 * The attributes of a row at `rev`. `due` exists only with a `wakeAt`, `lpk` and `ipk` only if the row is in a list or
 * in the inverse index, so that the indexes stay sparse. `ttl`, in seconds, is when DynamoDB may remove the row, which
 * may be long after it expired. `emits` says why the feed hands the commit on, and is absent from all others, so that
 * the feed's filter can drop them.
 */
export const attributesOf = (row: RowContent, rev: number): Attributes => {
  const emits = emitsOf(row);
  return {
    pk: row.key.pk,
    sk: row.key.sk,
    rev,
    body: row.body as Value,
    at: row.at,
    by: row.by,
    because: row.because,
    ...(row.stands && { stands: row.stands }),
    seq: row.eventSeq,
    ...(row.actor && { actor: row.actor }),
    ...(row.changed && { changed: row.changed }),
    ...(row.events.length > 0 && { events: row.events as unknown as Value }),
    ...(emits !== undefined && { emits }),
    ...(row.wakeAt !== undefined && { due: dueShardOf(row.key), wakeAt: row.wakeAt }),
    ...(row.expiresAt !== undefined && { expiresAt: row.expiresAt, ttl: Math.ceil(removableAt(row)! / 1000) }),
    ...(row.gone && { gone: true }),
    ...(row.list && { lpk: row.list.pk, lsk: row.list.sk }),
    ...(row.edge && { ipk: row.edge.pk, isk: row.edge.sk }),
  };
};

/** The row that {@link attributesOf} made these attributes from. */
export const rowOf = (a: Attributes): Row => ({
  key: { pk: a['pk'] as string, sk: a['sk'] as string },
  rev: a['rev'] as number,
  body: a['body'],
  at: a['at'] as Row['at'],
  by: a['by'] as string,
  because: a['because'] as string,
  ...(a['stands'] !== undefined && { stands: a['stands'] as StateReason }),
  ...(a['actor'] !== undefined && { actor: a['actor'] as Actor }),
  ...(a['changed'] !== undefined && { changed: a['changed'] as readonly string[] }),
  events: (a['events'] ?? []) as unknown as Row['events'],
  eventSeq: a['seq'] as number,
  ...(a['wakeAt'] !== undefined && { wakeAt: a['wakeAt'] as Row['at'] }),
  ...(a['expiresAt'] !== undefined && { expiresAt: a['expiresAt'] as Row['at'] }),
  ...(a['gone'] === true && { gone: true as const }),
  ...(a['lpk'] !== undefined && { list: { pk: a['lpk'] as string, sk: a['lsk'] as string } }),
  ...(a['ipk'] !== undefined && { edge: { pk: a['ipk'] as string, sk: a['isk'] as string } }),
});
