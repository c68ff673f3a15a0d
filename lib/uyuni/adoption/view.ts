import type { NodeId } from '../../core/ids.ts';
import type { AdoptionView } from './routes.ts';
import type { Adoption } from './rows/adoption.ts';

/** An adoption for people and programs. */
export function adoptionView(node: NodeId, adoption: Adoption): AdoptionView {
  const { zone: _zone, generation: _generation, after: _after, orderedAt, at, ...shown } = adoption;
  return { ...shown, node, orderedAt: new Date(orderedAt).toISOString(), at: new Date(at).toISOString() };
}
