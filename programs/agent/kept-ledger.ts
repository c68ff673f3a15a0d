import type { KeyPair } from '../../lib/identity/key-pair.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { type Ledger, writeLedger } from './ledger.ts';

/** The ledger of a running agent: written whenever it changes, before anything depends on the change. */
export class LiveLedger {
  readonly #folder: Folder;
  #ledger: Ledger;
  #pair: KeyPair;

  constructor(folder: Folder, ledger: Ledger) {
    this.#folder = folder;
    this.#ledger = ledger;
    this.#pair = pairOf(ledger);
    writeLedger(folder, ledger);
  }

  get ledger(): Ledger {
    return this.#ledger;
  }

  /** The key that signs calls; the same object as long as it is the same key. */
  get pair(): KeyPair {
    return this.#pair;
  }

  /** Replaces the ledger; writes nothing when it is unchanged. */
  replace(next: Ledger): void {
    if (JSON.stringify(next) === JSON.stringify(this.#ledger)) return;
    writeLedger(this.#folder, next);
    this.#ledger = next;
    if (next.publicKey !== this.#pair.publicKey) this.#pair = pairOf(next);
  }
}

const pairOf = ({ publicKey, privateKey }: Ledger): KeyPair => ({ publicKey, privateKey });
