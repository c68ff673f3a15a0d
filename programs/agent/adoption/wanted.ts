import * as z from 'zod';
import type { Folder } from '../../../lib/machine/folder.ts';

const file = 'adoption.json';
const Stored = z.strictObject({ order: z.string() });

/**
 * The order to offer the systems of this host for adoption, as Muster's desired state has it. The folder records it,
 * because Muster does not repeat it to an agent that starts again.
 */
export class AdoptionWanted {
  readonly #folder: Folder;
  #order: string | undefined;

  /** The order that the folder has. */
  constructor(folder: Folder) {
    this.#folder = folder;
    this.#order = orderIn(folder);
  }

  /** The order that is open; undefined when there is none. */
  order(): string | undefined {
    return this.#order;
  }

  /** Takes the order of Muster's desired state; without one, nothing is offered. */
  desired(order: string | undefined): void {
    if (order === this.#order) return;
    this.#order = order;
    if (order === undefined) this.#folder.remove(file);
    else this.#folder.write(file, `${JSON.stringify({ order })}\n`);
  }

  /** An order has ended. Another that came in the meantime stays. */
  done(order: string): void {
    if (this.#order === order) this.desired(undefined);
  }
}

function orderIn(folder: Folder): string | undefined {
  try {
    return Stored.safeParse(JSON.parse(folder.read(file) ?? 'null')).data?.order;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
