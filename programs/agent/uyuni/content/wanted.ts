import * as z from 'zod';
import { jsonIn } from '../../../../lib/core/json.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';
import { type DesiredAnswer, DesiredContent, DesiredExport } from '../../../../lib/nodes/desired/desired.ts';

const file = 'content.json';
const ContentOrder = z.discriminatedUnion('does', [
  DesiredExport.extend({ does: z.literal('export') }),
  DesiredContent.omit({ done: true }).extend({ does: z.literal('apply') }),
]);
/** An order about common content: to read it and store it, or to have it be as a revision says. */
export type ContentOrder = z.infer<typeof ContentOrder>;

/**
 * The order about the common content of this host's server, as Muster's desired state has it. The folder records it,
 * because Muster does not repeat it to an agent that starts again.
 */
export class ContentWanted {
  readonly #folder: Folder;
  #order: ContentOrder | undefined;

  /** The order that the folder has. */
  constructor(folder: Folder) {
    this.#folder = folder;
    this.#order = ContentOrder.safeParse(jsonIn(folder.read(file))).data;
  }

  /** The order that is open; undefined when there is none. */
  order(): ContentOrder | undefined {
    return this.#order;
  }

  /** Takes the orders of Muster's desired state: what is to be read is read before it is changed. */
  desired({ content, export: reading }: Pick<DesiredAnswer, 'content' | 'export'>): void {
    this.#take(reading ? { ...reading, does: 'export' } : open(content));
  }

  /** An order has ended. Another that came in the meantime stays. */
  done(order: string): void {
    if (this.#order?.order === order) this.#take(undefined);
  }

  #take(order: ContentOrder | undefined): void {
    if (order?.order === this.#order?.order) return;
    this.#order = order;
    if (order) this.#folder.write(file, `${JSON.stringify(order)}\n`);
    else this.#folder.remove(file);
  }
}

/** The order to have a revision; undefined for one that is done. */
function open(content: DesiredContent | undefined): ContentOrder | undefined {
  if (!content || content.done) return undefined;
  const { done: _open, ...order } = content;
  return { ...order, does: 'apply' };
}
