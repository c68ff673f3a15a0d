import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { showFingerprint } from '../../../lib/core/ids.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { folderAt } from '../../../lib/machine/folder.ts';
import { tokenOf } from '../image.ts';
import { type Ledger, readLedger } from '../ledger.ts';
import type { AgentOptionsGiven } from '../options.ts';
import { ownName } from '../own-name.ts';
import { type Check, missing, unknown, well } from './check.ts';
import { mendable } from './mendable.ts';

/** Bits of a mode that let others than the owner in. */
const others = 0o077;
/** Files that hold a key or a token. */
const secrets = ['ledger.json', 'token'];

/** Whether the agent can keep what it must not forget, and nobody else reads it. */
export function folderCheck(home: string): Check {
  const path = resolve(home);
  const found = mendable(() => statSync(path));
  if (!found.ok && found.code === 'ENOENT') return toBeMade(path);
  if (!found.ok) return missing('folder', found.why, 'name another by --home');
  if (!found.value.isDirectory()) return missing('folder', `${path} is no folder`, 'name another by --home');
  const writable = mendable(() => accessSync(path, constants.W_OK | constants.X_OK));
  if (!writable.ok)
    return missing('folder', `the agent cannot write to ${path}`, 'run it as the owner of the folder, or name another by --home');
  if ((found.value.mode & others) !== 0) return missing('folder', `${path} can be entered by others than its owner`, `chmod 0700 ${path}`);
  for (const file of secrets) {
    const secret = statSync(join(path, file), { throwIfNoEntry: false });
    if (secret && (secret.mode & others) !== 0)
      return missing('folder', `${join(path, file)} can be read by others than its owner`, `chmod 0600 ${join(path, file)}`);
  }
  return well('folder', `${path} is the agent’s alone`);
}

function toBeMade(path: string): Check {
  let above = dirname(path);
  while (!statSync(above, { throwIfNoEntry: false }) && above !== dirname(above)) above = dirname(above);
  return mendable(() => accessSync(above, constants.W_OK | constants.X_OK)).ok
    ? well('folder', `${path} is not there yet: the agent makes it`)
    : missing('folder', `${path} is not there, and cannot be made in ${above}`, 'make it, or name another by --home');
}

/** Whether there is a key; the ledger that has it. */
export function keyCheck(home: string): { readonly check: Check; readonly ledger?: Ledger } {
  const read = mendable(() => readLedger(folderAt(home)));
  if (!read.ok) return { check: missing('key', read.why, 'or see who may read it') };
  const ledger = read.value;
  if (!ledger) return { check: well('key', 'none yet: the agent makes it when it first starts') };
  return { check: well('key', `fingerprint ${showFingerprint(fingerprintOf(ledger.publicKey))}`), ledger };
}

/** Whether it is known what this host is called. */
export function nameCheck(options: Pick<AgentOptionsGiven, 'fqdn' | 'kind'>, ledger: Ledger | undefined, hostname: string): Check {
  const { fqdn: given } = options;
  if (ledger && given !== undefined && given !== ledger.fqdn)
    return missing('name', `${given} is asked for, and the ledger belongs to ${ledger.fqdn}`, `give ${given} a --home of its own`);
  const own = ownName(options, ledger, hostname);
  return 'fault' in own ? missing('name', own.fault, 'say fqdn = <name> in the configuration file') : well('name', own.name);
}

/** Whether the host is a node already, or has what makes it one. `isUsable`: its folder can be read at all. */
export function wayInCheck(given: AgentOptionsGiven, ledger: Ledger | undefined, isUsable: boolean): Check {
  if (ledger?.node !== undefined) return well('way in', `has joined zone ${ledger.zone ?? 'default'} as ${ledger.node}`);
  if (!isUsable) return unknown('way in', 'the folder cannot be read');
  const read = mendable(() => tokenOf(folderAt(given.home), given));
  if (!read.ok) return missing('way in', read.why, 'muster node token create makes another');
  if (read.value !== undefined) return well('way in', 'has a token, and has not joined yet');
  return missing(
    'way in',
    'has not joined, and has no token',
    ledger
      ? `where no rule admits it, an administrator types: muster node admit ${fingerprintOf(ledger.publicKey).slice(0, 16)}`
      : 'start the agent, and let the host in by muster node admit; or put a token into the file token in its folder',
  );
}
