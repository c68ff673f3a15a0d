import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { type Content, treeOf } from '../../../lib/uyuni/content/content.ts';
import type { ContentServer } from '../../../programs/agent/uyuni/content/follow.ts';
import { followContent } from '../../../programs/agent/uyuni/content/follow.ts';
import { ContentWanted } from '../../../programs/agent/uyuni/content/wanted.ts';
import type { AgentView } from '../../../programs/agent/view.ts';
import { ContentInMemory } from '../../../tools/support/content-in-memory.ts';
import type { Around } from '../cluster.ts';

/** How many documents a server has at the most. */
const keys = 12;

/** What a server had when its agent was done with an order: the root of its tree, and its documents. */
export type Had = { readonly root: string; readonly content: Content };

/** The common content of a simulated Uyuni server: it goes away, and refuses documents for a while. */
export class SimulatedContent {
  /** When its agent last read it, or had it be as a revision says. */
  had: Had | undefined;
  readonly #memory = new ContentInMemory();
  readonly #around: Around;
  readonly #random: () => number;

  constructor(name: string, around: Around) {
    this.#around = around;
    this.#random = around.kernel.random(`content of ${name}`);
    for (let n = 0; n < 4; n++) this.#memory.groups.set(`group${n}`, { description: 'as it was installed' });
  }

  /** What it has now. */
  now = (): Content => new Map([['group', new Map(this.#memory.groups)]]);

  /** Somebody edits it, at this moment. */
  edit(): void {
    const key = `group${Math.floor(this.#random() * keys)}`;
    if (this.#random() < 0.2) this.#memory.groups.delete(key);
    else this.#memory.groups.set(key, { description: `edited at ${this.#around.kernel.now}` });
  }

  /** What carries out orders beside an agent on this host, by what its folder has. */
  following(folder: Folder, { say, world }: { say(line: string): void; readonly world: World }) {
    const wanted = new ContentWanted(folder);
    const server = async () => this.#server;
    return { wanted, start: (agent: AgentView) => followContent({ wanted, server, world, say }, agent) };
  }

  readonly #server: ContentServer = {
    read: async () => {
      const content = await this.#memory.read();
      // A server with much content is read for long: what is edited meanwhile is in one document, and not in another.
      await this.#wait();
      this.had = { root: treeOf(content).root, content };
      return content;
    },
    have: async (content, options) => {
      await this.#wait();
      this.#memory.refuses.clear();
      if (this.#random() < 0.1) this.#memory.refuses.set(`group${Math.floor(this.#random() * keys)}`, 'it has members');
      const done = await this.#memory.have(content, options);
      this.had = { root: treeOf(done.now).root, content: done.now };
      return done;
    },
  };

  async #wait(): Promise<void> {
    await this.#around.kernel.wait(this.#random() * 20_000, 'a server answers');
    if (this.#random() < 0.1) throw new Error('the server does not answer');
  }
}
