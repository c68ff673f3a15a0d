import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { minionFingerprintOf } from '../../lib/identity/fingerprint.ts';
import { writeSaltKey } from '../../tools/support/uyuni/salt/salt-key.ts';

/** The key folders and the cache of a Salt master below a folder of its own, with a program in place of salt-key. */
export type SaltMaster = {
  readonly root: string;
  readonly saltKey: string;
  readonly home: string;
  /** A minion's key comes to a folder; gives its fingerprint. */
  key(id: string, folder?: 'minions' | 'minions_pre' | 'minions_rejected' | 'minions_denied', name?: string): Fingerprint;
  keys(): Record<string, string[]>;
  /** What salt-key was asked to do. */
  calls(): string[];
  /** A minion has answered a job, or shown its grains. */
  answered(job: string, id: string, at: number): void;
  grains(id: string, at: number): void;
  /** The program fails from now on, or exchanges the key that it accepts. */
  goesWrong(how: 'fails' | 'swaps' | undefined): void;
  remove(): void;
};

/** The public key of a minion of this name, as a file has it. */
export const pemOf = (name: string): string =>
  `-----BEGIN PUBLIC KEY-----\n${Buffer.from(`the key of ${name}`).toString('base64')}\n-----END PUBLIC KEY-----`;

/** A master without minions. */
export function aSaltMaster(): SaltMaster {
  const folder = mkdtempSync(join(tmpdir(), 'muster-master-'));
  const root = join(folder, 'root');
  const pki = join(root, 'etc/salt/pki/master');
  const cache = join(root, 'var/cache/salt/master');
  for (const name of ['minions', 'minions_pre', 'minions_rejected', 'minions_denied']) mkdirSync(join(pki, name), { recursive: true });
  const saltKey = writeSaltKey(root);
  const at = (path: string, ms: number) => utimesSync(path, ms / 1000, ms / 1000);
  return {
    root,
    saltKey,
    home: join(folder, 'home'),
    key: (id, state = 'minions_pre', name = id) => {
      writeFileSync(join(pki, state, id), pemOf(name));
      return minionFingerprintOf(pemOf(name));
    },
    keys: () => Object.fromEntries(readdirSync(pki).map((state) => [state, readdirSync(join(pki, state)).sort()])),
    calls: () => (existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').split('\n').filter(Boolean) : []),
    answered: (job, id, ms) => {
      const path = join(cache, 'jobs', job.slice(0, 2), job.slice(2));
      mkdirSync(join(path, id), { recursive: true });
      writeFileSync(join(path, '.load.p'), '');
      at(path, ms);
    },
    grains: (id, ms) => {
      mkdirSync(join(cache, 'minions', id), { recursive: true });
      writeFileSync(join(cache, 'minions', id, 'data.p'), '');
      at(join(cache, 'minions', id, 'data.p'), ms);
    },
    goesWrong: (how) => writeFileSync(join(root, 'wrong'), how ?? ''),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
