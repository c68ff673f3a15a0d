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

/** Bits of a mode that give access to users other than the owner. */
const others = 0o077;
/** Files that hold a key or a token. */
const secrets = ['ledger.json', 'token'];

/** Whether the agent can write its folder, and no other user can read it. */
export function folderCheck(home: string): Check {
  const path = resolve(home);
  const found = mendable(() => statSync(path));
  if (!found.ok && found.code === 'ENOENT') return toBeMade(path);
  if (!found.ok) return missing('folder', found.why, 'name another by --home');
  if (!found.value.isDirectory()) return missing('folder', `${path} is not a folder`, 'name another by --home');
  const writable = mendable(() => accessSync(path, constants.W_OK | constants.X_OK));
  if (!writable.ok)
    return missing('folder', `the agent cannot write to ${path}`, 'run it as the owner of the folder, or name another by --home');
  if ((found.value.mode & others) !== 0) return missing('folder', `${path} can be entered by other users`, `chmod 0700 ${path}`);
  for (const file of secrets) {
    const secret = statSync(join(path, file), { throwIfNoEntry: false });
    if (secret && (secret.mode & others) !== 0)
      return missing('folder', `${join(path, file)} can be read by other users`, `chmod 0600 ${join(path, file)}`);
  }
  return well('folder', `only the agent can read ${path}`);
}

function toBeMade(path: string): Check {
  let above = dirname(path);
  while (!statSync(above, { throwIfNoEntry: false }) && above !== dirname(above)) above = dirname(above);
  return mendable(() => accessSync(above, constants.W_OK | constants.X_OK)).ok
    ? well('folder', `${path} does not exist yet: the agent makes it`)
    : missing('folder', `${path} does not exist, and the agent cannot make it in ${above}`, 'make it, or name another by --home');
}

/** Whether there is a key, and the ledger that has it. */
export function keyCheck(home: string): { readonly check: Check; readonly ledger?: Ledger } {
  const read = mendable(() => readLedger(folderAt(home)));
  if (!read.ok) return { check: missing('key', read.why, 'or check who may read it') };
  const ledger = read.value;
  if (!ledger) return { check: well('key', 'none yet: the agent makes it when it first starts') };
  return { check: well('key', `fingerprint ${showFingerprint(fingerprintOf(ledger.publicKey))}`), ledger };
}

/** Whether the name of this host is known. */
export function nameCheck(options: Pick<AgentOptionsGiven, 'fqdn' | 'kind'>, ledger: Ledger | undefined, hostname: string): Check {
  const { fqdn: given } = options;
  if (ledger && given !== undefined && given !== ledger.fqdn)
    return missing('name', `the ledger belongs to ${ledger.fqdn}, and the name given is ${given}`, `give ${given} a --home of its own`);
  const own = ownName(options, ledger, hostname);
  return 'fault' in own ? missing('name', own.fault, 'set fqdn = <name> in the configuration file') : well('name', own.name);
}

/** Whether the host is a node already, or can become one. `isUsable`: its folder can be read. */
export function wayInCheck(given: AgentOptionsGiven, ledger: Ledger | undefined, isUsable: boolean): Check {
  if (ledger?.node !== undefined) return well('way in', `has joined zone ${ledger.zone ?? 'default'} as ${ledger.node}`);
  if (!isUsable) return unknown('way in', 'the folder cannot be read');
  const read = mendable(() => tokenOf(folderAt(given.home), given));
  if (!read.ok) return missing('way in', read.why, 'create another token: muster node token create');
  if (read.value !== undefined) return well('way in', 'has a token, and has not joined yet');
  return missing(
    'way in',
    'has not joined, and has no token',
    ledger
      ? `unless a rule admits it, an administrator must: muster node admit ${fingerprintOf(ledger.publicKey).slice(0, 16)}`
      : 'start the agent, and admit the host by muster node admit; or put a token into the file token in its folder',
  );
}
