import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answered, type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { problemTypeOf } from '../../lib/api/problem.ts';
import type { Route } from '../../lib/api/route.ts';
import { clientHeaders, clientRoutes } from '../../lib/clients/routes.ts';
import type { Fingerprint, NodeId } from '../../lib/core/ids.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { type KeyPair, newKeyPair } from '../../lib/identity/key-pair.ts';
import { nodeRoutes } from '../../lib/node-contract.ts';
import { expected, NotAsExpected, until } from './progress.ts';

/** How soon a heartbeat is sent again that was not taken, in ms. */
const againMs = 1_000;

/** A client of the API for one machine, whose calls are signed by this key. */
export type SignedBy = (pair: KeyPair) => ApiClient;

/** The body of a success. Throws {@link NotAsExpected} with the refusal's own words. */
export function bodyOf<T extends Route>(what: string, answer: Answered<T>): Extract<Answered<T>, { ok: true }>['body'] {
  if (!answer.ok) throw new NotAsExpected(what, answer.problem);
  return answer.body;
}

/** A node's agent that a caller drives step by step. */
export class NodeActor {
  readonly fqdn: string;
  /** Calls that it signs. */
  readonly call: ApiClient;
  /** The key pair by which it signs. */
  readonly pair = newKeyPair();
  private readonly boot = { id: randomUUID(), kernel: randomUUID() };
  private params: { id: string } = { id: '' };
  private incarnation = 0;
  private seq = 0;
  private beating: { on: boolean; done: Promise<void> } | undefined;

  constructor(signedBy: SignedBy, fqdn: string) {
    this.call = signedBy(this.pair);
    this.fqdn = fqdn;
  }

  get id(): NodeId {
    return this.params.id as NodeId;
  }
  get boots(): number {
    return this.incarnation;
  }

  /** Joins twice: the same key must get the same node. */
  async join(): Promise<void> {
    const body = { publicKey: this.pair.publicKey, fqdn: this.fqdn, kind: 'salt' } as const;
    const first = bodyOf('a node id', await this.call(nodeRoutes.join, { body }));
    const again = bodyOf('a node id', await this.call(nodeRoutes.join, { body }));
    if (!('node' in first && 'node' in again)) throw new NotAsExpected('a node id', [first, again]);
    expected('the same node for the same key', first.node === again.node, [first, again]);
    this.params = { id: first.node };
  }

  /** Reports that it has started, until this boot is acknowledged. */
  async up(): Promise<void> {
    const facts = { fqdn: this.fqdn, address: '192.0.2.1', memoryMib: 4_096, cpus: 2, interfaces: [] };
    this.incarnation = await until('node-up acknowledged', 30_000, async () => {
      const answer = await this.call(nodeRoutes.up, { params: this.params, body: { id: randomUUID(), boot: this.boot, facts } });
      const body = bodyOf('node-up taken', answer);
      return body.acknowledged ? { found: body.incarnation } : { seen: answer };
    });
  }

  async ready(): Promise<void> {
    const event = { id: randomUUID(), type: 'node.ready', version: 1, incarnation: this.incarnation, data: {} } as const;
    bodyOf('node.ready taken', await this.call(nodeRoutes.events, { params: this.params, body: [event] }));
  }

  /** Sends heartbeats at the interval in the answers, until {@link fallSilent}. */
  startBeating(): void {
    const beating = { on: true, done: Promise.resolve() };
    beating.done = (async () => {
      while (beating.on) await sleep(await this.sendHeartbeat());
    })();
    // A caller that waits for `done` gets the failure; until then it must not end the process.
    beating.done.catch(() => undefined);
    this.beating = beating;
  }

  /**
   * Stops its heartbeats without a report, as a machine does whose power is cut. Throws the error that a heartbeat met
   * before.
   */
  async fallSilent(): Promise<void> {
    if (!this.beating) return;
    this.beating.on = false;
    await this.beating.done;
  }

  /**
   * Gives how soon the next one is due, in ms. As an agent does, it tries again while the functions are replaced, and
   * sends node-up where Muster has not heard it for too long meanwhile.
   */
  private async sendHeartbeat(): Promise<number> {
    const load = { load1: 0.1, load5: 0.1, load15: 0.1, memoryUsedMib: 512, memoryMib: 4_096, systems: 0 };
    const body = { id: randomUUID(), incarnation: this.incarnation, seq: ++this.seq, load };
    const answer = await this.call(nodeRoutes.heartbeat, { params: this.params, body }).catch((error: unknown) => {
      if (error instanceof Unreachable) return undefined;
      throw error;
    });
    if (answer?.ok) return answer.body.nextMs;
    if (!answer || answer.status >= 500) return againMs;
    if (problemTypeOf(answer.problem) !== 'send-node-up') throw new NotAsExpected('a heartbeat answered', answer.problem);
    await this.up();
    this.seq = 0;
    return againMs;
  }
}

/** A client system's daemon that a caller drives step by step; it stores the newest token. */
export class SystemActor {
  readonly fp: Fingerprint;
  private readonly call: ApiClient;
  private readonly who: { publicKey: string; fqdn: string; machineId: string };
  private token: string | undefined;

  constructor(signedBy: SignedBy, fqdn: string) {
    const pair = newKeyPair();
    this.call = signedBy(pair);
    this.who = { publicKey: pair.publicKey, fqdn, machineId: randomUUID() };
    this.fp = fingerprintOf(this.who.publicKey);
  }

  async knock(more: { confirmed?: string; lost?: boolean } = {}): Promise<string> {
    const answer = await this.call(clientRoutes.knock, { body: { ...this.who, ...more } });
    return this.bodyOfAnswer('a status byte', answer);
  }

  async status(): Promise<string> {
    return this.bodyOfAnswer(
      'a status byte',
      await this.call(clientRoutes.systemStatus, { query: { fp: this.fp }, headers: this.headers() }),
    );
  }

  /** The node's name; undefined while it is not its turn. */
  async orphan(): Promise<string | undefined> {
    return this.bodyOfAnswer(
      'a node, or an answer to wait',
      await this.call(clientRoutes.orphan, { query: { fp: this.fp }, headers: this.headers() }),
    );
  }

  private headers(): Record<string, string> {
    return this.token === undefined ? {} : { [clientHeaders.token]: this.token };
  }

  private bodyOfAnswer<T extends Route>(what: string, answer: Answered<T>): Extract<Answered<T>, { ok: true }>['body'] {
    this.token = answer.headers.get(clientHeaders.token) ?? this.token;
    return bodyOf(what, answer);
  }
}
