import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { problemTypeOf } from '../../lib/api/problem.ts';
import type { NodeId } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { type KeyPair, newKeyPair } from '../../lib/identity/key-pair.ts';
import { proofOfRotation } from '../../lib/identity/rotation-proof.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { nodeRoutes } from '../../lib/node-contract.ts';
import type { Input } from './hear.ts';
import type { LiveLedger } from './kept-ledger.ts';
import { readRotating } from './ledger.ts';

export type RotationOptions = {
  readonly live: LiveLedger;
  readonly folder: Folder;
  readonly api: ApiClient;
  /** The age at which a key is replaced; undefined: only when an operator asks for it. */
  readonly everyMs: number | undefined;
  readonly signal: AbortSignal;
  now(): EpochMs;
  say(line: string): void;
  newKeys?(): KeyPair;
};

/**
 * Replaces the key of a node while it works. The new key is on disk before Muster gets it. The old key stays on disk
 * until Muster has answered a heartbeat signed by the new one. Whichever call is lost, the node can prove its identity.
 */
export class Rotation {
  readonly #options: RotationOptions;
  #hasFailed = false;

  constructor(options: RotationOptions) {
    this.#options = options;
  }

  /**
   * Takes the next step of a rotation after the answer to a heartbeat or node-up that `signedBy` signed; never rejects
   * because Muster is unreachable. Ignores a call that was under way when the key changed.
   */
  async after(heard: Input, node: NodeId, signedBy: string): Promise<void> {
    const { ledger } = this.#options.live;
    if (signedBy !== ledger.publicKey) return;
    if (ledger.oldKey && heard.type === 'beaten') this.#proved();
    else if (ledger.oldKey && heard.type === 'refused' && heard.problem === 'signature-invalid') this.#takeBack(ledger.oldKey);
    else if (heard.type === 'beaten' && this.#isDue()) await this.#name(node);
  }

  #isDue(): boolean {
    const { live, folder, everyMs, now } = this.#options;
    const { nextKey, keySince, deployment } = live.ledger;
    if (deployment === undefined) return false;
    const isOld = everyMs !== undefined && keySince !== undefined && now() - keySince >= everyMs;
    return nextKey !== undefined || isOld || readRotating(folder, live.ledger);
  }

  /** Sends Muster the next key; repeated with every heartbeat until Muster has answered. */
  async #name(node: NodeId): Promise<void> {
    const { live, api, say, signal, newKeys = newKeyPair } = this.#options;
    const next = live.ledger.nextKey ?? newKeys();
    live.replace({ ...live.ledger, nextKey: next });
    const rotation = { deployment: live.ledger.deployment!, node, from: live.ledger.publicKey, to: next.publicKey };
    try {
      const body = { publicKey: next.publicKey, proof: proofOfRotation(rotation, next) };
      const answer = await api(nodeRoutes.rotate, { params: { id: node }, body, signal });
      if (answer.ok) return this.#use(next);
      if (problemTypeOf(answer.problem) === 'key-in-use') this.#forget();
      if (!this.#hasFailed) say(`the next key was refused (${problemTypeOf(answer.problem)}): ${answer.problem.detail}; trying again`);
      this.#hasFailed = true;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  #use({ publicKey, privateKey }: KeyPair): void {
    const { nextKey: _used, ...ledger } = this.#options.live.ledger;
    const oldKey = { publicKey: ledger.publicKey, privateKey: ledger.privateKey };
    this.#options.live.replace({ ...ledger, publicKey, privateKey, oldKey });
  }

  #proved(): void {
    const { live, now, say } = this.#options;
    const { oldKey: _given, ...ledger } = live.ledger;
    live.replace({ ...ledger, keySince: now() });
    this.#hasFailed = false;
    say('the agent signs with its new key; the old key is revoked');
  }

  /** Returns to the old key where Muster does not know the new one, as after Muster's restore from an older backup. */
  #takeBack({ publicKey, privateKey }: KeyPair): void {
    const { live, say } = this.#options;
    const { oldKey: _back, ...ledger } = live.ledger;
    live.replace({ ...ledger, publicKey, privateKey });
    say('Muster does not know the new key: the agent signs with the old key again');
  }

  #forget(): void {
    const { nextKey: _refused, ...ledger } = this.#options.live.ledger;
    this.#options.live.replace(ledger);
  }
}
