import type { KeyPair } from '../../lib/identity/key-pair.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { type Ledger, writeLedger } from './ledger.ts';

/** The ledger of an agent that runs: written whenever it changes, before anything rests on it. */
export class KeptLedger {
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

  /** The key that calls are signed by; the same object as long as it is the same key. */
  get pair(): KeyPair {
    return this.#pair;
  }

  /** Replaces the ledger; nothing is written when it says the same. */
  replace(next: Ledger): void {
    if (JSON.stringify(next) === JSON.stringify(this.#ledger)) return;
    writeLedger(this.#folder, next);
    this.#ledger = next;
    if (next.publicKey !== this.#pair.publicKey) this.#pair = pairOf(next);
  }
}

const pairOf = ({ publicKey, privateKey }: Ledger): KeyPair => ({ publicKey, privateKey });
