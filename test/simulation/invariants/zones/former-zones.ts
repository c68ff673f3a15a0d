import type { Node } from '../../../../lib/nodes/node.ts';
import type { ZoneHead } from '../../../../lib/zones/zone.ts';
import type { Committed } from '../../watching.ts';
import { nodeSteps } from '../rows.ts';

/** Zones that were deleted and made anew by their names, and the nodes whose rows have an index of a former one. */
export class FormerZones {
  readonly #numbers = new Map<string, number>();
  readonly #nodes = new Map<string, Node>();
  readonly #former = new Map<string, number>();

  /** Takes in what was committed; gives the names of zones that were made anew with it. */
  take(changes: readonly Committed[]): string[] {
    const anew = changes.flatMap(({ after }) => (after.key.sk === 'head' && !after.gone ? this.#madeAnew(after.body as ZoneHead) : []));
    for (const { id, after } of nodeSteps(changes)) {
      if (after) this.#nodes.set(id, after);
      else this.#nodes.delete(id);
      if (after?.index !== this.#former.get(id)) this.#former.delete(id);
    }
    return anew;
  }

  /** Whether the index of a node, which was given up, is one of a former zone. */
  has = ({ id, index, status }: Node): boolean => status === 'dropped' && index !== undefined && this.#former.get(id) === index;

  #madeAnew({ name, number }: ZoneHead): string[] {
    const before = this.#numbers.get(name);
    this.#numbers.set(name, number);
    if (before === undefined || before === number) return [];
    for (const { id, zone, index } of this.#nodes.values()) if (zone === name && index !== undefined) this.#former.set(id, index);
    return [name];
  }
}
