import { jsonIn } from '../../../../lib/core/json.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';
import { DesiredContent } from '../../../../lib/nodes/desired/desired.ts';

const file = 'content.json';

/**
 * The order about the common content of this host's server, as Muster's desired state has it. The folder records it,
 * because Muster does not repeat it to an agent that starts again.
 */
export class ContentWanted {
  readonly #folder: Folder;
  #order: DesiredContent | undefined;

  /** The order that the folder has. */
  constructor(folder: Folder) {
    this.#folder = folder;
    this.#order = DesiredContent.safeParse(jsonIn(folder.read(file))).data;
  }

  /** The order that is open; undefined when there is none. */
  order(): DesiredContent | undefined {
    return this.#order;
  }

  /** Takes the order of Muster's desired state; one that is done asks for nothing. */
  desired(content: DesiredContent | undefined): void {
    const order = content?.done ? undefined : content;
    if (order?.order === this.#order?.order) return;
    this.#order = order;
    if (order) this.#folder.write(file, `${JSON.stringify(order)}\n`);
    else this.#folder.remove(file);
  }

  /** An order has ended. Another that came in the meantime stays. */
  done(order: string): void {
    if (this.#order?.order === order) this.desired(undefined);
  }
}
