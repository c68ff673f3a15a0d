import { Agent, Daemon } from '../../tools/support/players.ts';
import type { World, WorldReply } from '../../tools/support/stepped.ts';
import { fromDuration } from './durations.ts';

/**
 * Who plays in a script, by the names it gives them: `node1` is an agent, anybody else but the operator a client
 * system.
 */
export class Cast {
  readonly world: World;
  readonly #agents = new Map<string, Agent>();
  readonly #daemons = new Map<string, Daemon>();

  constructor(world: World) {
    this.world = world;
  }

  agent = (name: string): Agent => named(this.#agents, name, () => new Agent(this.world, fqdnOf(name)));
  daemon = (name: string): Daemon => named(this.#daemons, name, () => new Daemon(this.world, fqdnOf(name)));
  /** How the API finds somebody. */
  pathTo = (name: string): string => (isNode(name) ? `nodes/${fqdnOf(name)}` : `systems/${this.daemon(name).fp}`);
  api = (method: string, path: string, body?: unknown): Promise<WorldReply> => this.world.call(method, `/api/v1/${path}`, body);
}

export const isNode = (name: string): boolean => /^node\d+$/.test(name);
/** A name as Muster has it. A host of a script whose name begins with `short` has no domain. */
export const fqdnOf = (name: string): string => (name.startsWith('short') ? name : `${name}.acme.org`);
/** A name as scripts have it, from one as Muster has it. */
export const nameOf = (fqdn: string): string => fqdn.replace(/\.acme\.org$/, '');

function named<T>(all: Map<string, T>, name: string, make: () => T): T {
  if (!all.has(name)) all.set(name, make());
  return all.get(name)!;
}

/** An answer in short: its status, and what of its body matters; of a refusal its type. */
export function shortly({ status, body }: WorldReply): string {
  if (body === undefined) return String(status);
  if (typeof body === 'string') return `${status} ${nameOf(body)}`;
  const { type, incarnation, generation, acknowledged } = body as Record<string, unknown>;
  if (typeof type === 'string') return `${status} ${type.slice(type.lastIndexOf(':') + 1)}`;
  if (acknowledged === true) return `${status} acknowledged, incarnation ${incarnation}, generation ${generation}`;
  return String(status);
}

/** The moment so long from now, in ms. */
export const inTime = (world: World, duration: string): number => world.now() + fromDuration(duration);
