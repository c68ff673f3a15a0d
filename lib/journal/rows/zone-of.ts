import type { RowRef } from '../../core/decision.ts';

/** What has its zone in its row: a client system that waits in the pool has the zone that it asks for. */
const withZone = ['node', 'silence', 'changes', 'service', 'client', 'ticket'];
/** What is one of a kind in its zone, and is named after it. */
const namedAfterZone = ['zone', 'stations', 'site-orders', 'seat', 'content', 'cluster'];
/** What has its zone, a slash, and its own name as its id. */
const namedInZone = ['process', 'mero-node'];

/**
 * The zone of the thing that a row belongs to, and so of its events; undefined for a thing of no zone, which belongs to
 * the deployment.
 */
export function zoneOf({ noun, id }: RowRef, body: unknown): string | undefined {
  if (namedAfterZone.includes(noun)) return id;
  if (namedInZone.includes(noun)) return id.slice(0, id.lastIndexOf('/'));
  return withZone.includes(noun) ? (body as { readonly zone?: string }).zone : undefined;
}
