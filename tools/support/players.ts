import type { ProcessTable } from '../../events/reported/process.ts';
import type { Fingerprint, NodeId } from '../../lib/core/ids.ts';
import { fingerprintOf, nodeIdOf } from '../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import { proofOfRotation } from '../../lib/identity/rotation-proof.ts';
import { keyPairOf, signedBy } from './signing.ts';
import type { World, WorldReply } from './stepped.ts';

/** The raw public key of the key pair that belongs to a name, in base64url; the same for the same name. */
export const publicKeyOf = (name: string): string => keyPairOf(name).publicKey;

/** The facts of a host and its load, as an agent reports them. */
export const factsOf = (fqdn: string) => ({ fqdn, address: '192.0.2.1', memoryMib: 4096, cpus: 2, interfaces: [] });
const load = { load1: 0.5, load5: 0.5, load15: 0.5, memoryUsedMib: 1024, memoryMib: 4096, systems: 0 };

/** The headers by which a machine signs a call in a world. */
export function signedIn(
  world: World,
  { method, target, body }: { method: string; target: string; body?: unknown },
  by: KeyPair,
): Readonly<Record<string, string>> {
  const [path = '', query = ''] = target.split('?');
  const { deployment } = world.environment('node-door').settings;
  const call = { method, path, query, body: body === undefined ? '' : JSON.stringify(body) };
  return signedBy(by, call, { deployment, nowMs: world.now() });
}

/** The agent's table of the processes on its host, and the function that sends it when Muster asks for it. */
export type TableKeeper = { readonly table: () => ProcessTable; readonly tells: () => Promise<void> };

/**
 * A node's agent in a world, driven call by call. Each call resolves to the reply of the endpoint; nothing is delivered
 * before the world steps.
 */
export class Agent {
  readonly #world: World;
  readonly fqdn: string;
  keys: KeyPair;
  readonly publicKey: string;
  readonly id: NodeId;
  boot = 1;
  kernel = 1;
  /** The keeper of the processes of its host, if any. */
  processes: TableKeeper | undefined;
  incarnation = 0;
  seq = 0;
  /** The address that it calls from; by default that of this machine. */
  source: string | undefined;
  /** The nodes that it hears, as a station; by default it does not report that. */
  hears: (() => object) | undefined;
  #reports = 0;
  #stop: (() => void) | undefined;

  constructor(world: World, fqdn: string, key = fqdn) {
    this.#world = world;
    this.fqdn = fqdn;
    this.keys = keyPairOf(key);
    this.publicKey = this.keys.publicKey;
    this.id = nodeIdOf(this.publicKey);
  }

  join = (more: object = {}): Promise<WorldReply> =>
    this.call('POST', '/nodes/join', { publicKey: this.publicKey, fqdn: this.fqdn, kind: 'salt', ...more });

  /** Sends node-up; an acknowledgement begins its incarnation. */
  async up(flushed?: number): Promise<WorldReply> {
    const boot = { id: `${this.fqdn}-boot-${this.boot}`, kernel: `kernel-${this.kernel}` };
    const table = this.processes && { table: this.processes.table() };
    const body = { id: this.#next(), boot, facts: factsOf(this.fqdn), ...(flushed !== undefined && { flushed }), ...table };
    const reply = await this.#post('up', body);
    const { incarnation } = reply.body as { incarnation?: number };
    if (incarnation !== undefined && incarnation !== this.incarnation) [this.incarnation, this.seq] = [incarnation, 0];
    return reply;
  }

  say = (type: 'node.ready' | 'node.released', data: object = {}): Promise<WorldReply> =>
    this.#post('events', [{ id: this.#next(), type, version: 1, incarnation: this.incarnation, data }]);

  async beat(more: object = {}): Promise<WorldReply> {
    this.seq += 1;
    const hash = this.processes && { tableHash: this.processes.table().hash };
    const hears = this.hears && { hears: this.hears() };
    const body = { id: this.#next(), incarnation: this.incarnation, seq: this.seq, load, ...hash, ...hears, ...more };
    const reply = await this.#post('heartbeat', body);
    if (this.processes && (reply.body as { resync?: boolean }).resync) await this.processes.tells();
    return reply;
  }

  leave = (mode: 'drain' | 'hold', untilMs?: number): Promise<WorldReply> =>
    this.#post('leaving', { id: this.#next(), incarnation: this.incarnation, mode, ...(untilMs !== undefined && { untilMs }) });

  /** Replaces its key, signed by the one it has, and signs with the new one from then on. */
  async rotate(to: KeyPair): Promise<WorldReply> {
    const { deployment } = this.#world.environment('node-door').settings;
    const proof = proofOfRotation({ deployment, node: this.id, from: this.keys.publicKey, to: to.publicKey }, to);
    const reply = await this.#post('rotate', { publicKey: to.publicKey, proof });
    this.keys = to;
    return reply;
  }

  desired = (headers: Readonly<Record<string, string>> = {}): Promise<WorldReply> =>
    this.call('GET', `/nodes/${this.id}/desired`, undefined, headers);

  systems = (since?: number): Promise<WorldReply> =>
    this.call('GET', `/nodes/${this.id}/systems${since === undefined ? '' : `?since=${since}`}`);

  verdictOn = (fp: string): Promise<WorldReply> => this.call('GET', `/nodes/${this.id}/systems/${fp}`);

  /** A call of the node's own, by default signed by its key. */
  call(
    method: string,
    target: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
    by = this.keys,
  ): Promise<WorldReply> {
    return this.#world.call(method, target, body, { ...signedIn(this.#world, { method, target, body }, by), ...headers }, this.source);
  }

  /** Sends heartbeats from now on, as often as the fastest nodes do, until it falls silent. */
  beats(): void {
    this.#stop ??= this.#world.every(this.#settings.beatMinMs, async () => void (await this.beat()));
  }

  fallSilent(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Joins, boots, reports that it is ready, and sends heartbeats; up, with slots, when this resolves. */
  async start(more: object = {}): Promise<this> {
    await this.join(more);
    await this.up();
    await this.#world.step(0);
    await this.up();
    await this.say('node.ready');
    this.beats();
    await this.#world.step(this.#settings.sweepPeriodMs);
    return this;
  }

  get #settings() {
    return this.#world.environment('sweep').settings;
  }

  #post = (what: string, body: unknown): Promise<WorldReply> => this.call('POST', `/nodes/${this.id}/${what}`, body);

  #next(): string {
    this.#reports += 1;
    return `${this.fqdn}-${this.#reports}`;
  }
}

/** A client system's daemon in a world, driven call by call; it stores the newest token. */
export class Daemon {
  readonly #world: World;
  readonly fqdn: string;
  readonly publicKey: string;
  readonly fp: Fingerprint;
  token: string | undefined;
  /** The address that it knocks from; by default that of this machine. */
  address: string | undefined;

  constructor(world: World, fqdn: string) {
    this.#world = world;
    this.fqdn = fqdn;
    this.publicKey = publicKeyOf(fqdn);
    this.fp = fingerprintOf(this.publicKey);
  }

  knock = (more: object = {}): Promise<WorldReply> =>
    this.#kept(this.#world.call('POST', '/system/knock', ...this.knocking(more), this.address));

  /** The parts of a knock: its body, and the headers that sign it. */
  knocking(more: object = {}): [body: object, headers: Readonly<Record<string, string>>] {
    const body = { publicKey: this.publicKey, fqdn: this.fqdn, machineId: `machine-${this.fqdn}`, ...more };
    const { deployment } = this.#world.environment('knock').settings;
    const call = { method: 'POST', path: '/system/knock', query: '', body: JSON.stringify(body) };
    return [body, signedBy(keyPairOf(this.fqdn), call, { deployment, nowMs: this.#world.now() })];
  }

  /** Asks with the token it has, unless another is given; null is none. */
  status = (given: { token?: string | null; lost?: boolean; fp?: string } = {}): Promise<WorldReply> => this.#ask('status', given);
  orphan = (given: { token?: string | null; lost?: boolean; fp?: string } = {}): Promise<WorldReply> => this.#ask('orphan', given);

  /** Knocks, is accepted by an operator, and knocks again: an orphan with a token that names no node. */
  async accepted(): Promise<this> {
    await this.knock();
    await this.#world.call('POST', '/api/v1/systems/accept', { systems: [this.fp] });
    await this.knock();
    return this;
  }

  /** Accepted, assigned to its node, and confirmed. */
  async onboarded(): Promise<this> {
    await this.accepted();
    const { body } = await this.orphan();
    await this.knock({ confirmed: body });
    return this;
  }

  #ask = (
    what: string,
    { token = this.token ?? null, lost = false, fp = this.fp }: { token?: string | null; lost?: boolean; fp?: string },
  ) =>
    this.#kept(
      this.#world.call('GET', `/system/${what}?fp=${fp}`, undefined, {
        ...(token !== null && { 'muster-token': token }),
        ...(lost && { 'muster-lost': '1' }),
      }),
    );

  async #kept(reply: Promise<WorldReply>): Promise<WorldReply> {
    const answered = await reply;
    this.token = answered.headers['muster-token'] ?? this.token;
    return answered;
  }
}
