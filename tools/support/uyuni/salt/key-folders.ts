import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minionFingerprintOf } from '../../../../lib/identity/fingerprint.ts';

/** The folders of a Salt master by the state of the keys in them. */
const folders = { accepted: 'minions', pending: 'minions_pre', rejected: 'minions_rejected', denied: 'minions_denied' } as const;
export type KeyState = keyof typeof folders;
const states = Object.keys(folders) as KeyState[];

/** A minion's key at a master, with its fingerprint as Salt shows it. */
export type HeldKey = { readonly id: string; readonly state: KeyState; readonly fingerprint: string };

/** The key folders of a played Salt master, below a root. */
export class KeyFolders {
  readonly #pki: string;

  constructor(root: string) {
    this.#pki = join(root, 'etc/salt/pki/master');
    for (const folder of Object.values(folders)) mkdirSync(join(this.#pki, folder), { recursive: true });
  }

  #path = (state: KeyState, id: string): string => join(this.#pki, folders[state], id);

  /** The names of the minions with a key in this state, in order. */
  list = (state: KeyState): string[] => readdirSync(join(this.#pki, folders[state])).sort();

  /** The public key of a minion in this state, in PEM; undefined where there is none. */
  read(state: KeyState, id: string): string | undefined {
    const path = this.#path(state, id);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  /** All keys, with their fingerprints. */
  all(): HeldKey[] {
    return states.flatMap((state) =>
      this.list(state).map((id) => ({ id, state, fingerprint: minionFingerprintOf(readFileSync(this.#path(state, id), 'utf8')) })),
    );
  }

  /** Puts a key there, as if it had been moved by hand. */
  put(state: KeyState, id: string, pem: string): void {
    writeFileSync(this.#path(state, id), pem);
  }

  /**
   * What a master does with the key of a minion that calls: it is heard if that very key is accepted, denied if another
   * is, and waits if none is.
   */
  call(id: string, pem: string): 'heard' | 'waiting' | 'denied' {
    const accepted = this.read('accepted', id);
    if (accepted === pem) return 'heard';
    if (accepted !== undefined) {
      this.put('denied', id, pem);
      return 'denied';
    }
    if (this.read('rejected', id) === pem) return 'denied';
    if (this.read('pending', id) === undefined) this.put('pending', id, pem);
    return 'waiting';
  }

  /** Accepts the key that waits, or was rejected, by its name alone, as Salt does; false where there is none. */
  accept = (id: string): boolean => this.#move(id, ['pending', 'rejected'], 'accepted');

  /** Rejects a key that waits or was accepted; false where there is none. */
  reject = (id: string): boolean => this.#move(id, ['pending', 'accepted'], 'rejected');

  /** Removes every key of these names; gives how many names had one. */
  remove(ids: readonly string[]): number {
    return ids.filter((id) => {
      const held = states.filter((state) => existsSync(this.#path(state, id)));
      for (const state of held) rmSync(this.#path(state, id));
      return held.length > 0;
    }).length;
  }

  #move(id: string, from: readonly KeyState[], to: KeyState): boolean {
    const state = from.find((one) => existsSync(this.#path(one, id)));
    if (state === undefined) return false;
    renameSync(this.#path(state, id), this.#path(to, id));
    return true;
  }
}
