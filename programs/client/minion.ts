import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { minionFingerprintOf, minionTextFingerprintsOf } from '../../lib/identity/fingerprint.ts';
import { minionStatement } from '../../lib/identity/minion-proof.ts';
import { Unusable } from '../../lib/machine/command-line.ts';
import { orNothing } from '../../lib/machine/os-name.ts';

/** The files of Salt with a minion's key and its name, unless a driver names others. */
export const saltKeyFile = '/etc/salt/pki/minion/minion.pem';
export const saltIdFile = '/etc/salt/minion_id';

/**
 * A knock's proof of the minion beside the daemon: its id, its public key in PEM, and its key's signature over the
 * daemon's fingerprint.
 */
export type MinionProof = { readonly id: string; readonly publicKey: string; readonly proof: string };

/**
 * The minion's key on this machine; `fingerprint` as `salt-key -f` shows it, and `ofText` as that of Salt 3008 does.
 */
export type MinionKey = {
  readonly publicKey: string;
  readonly privateKey: KeyObject;
  readonly fingerprint: Fingerprint;
  readonly ofText: Fingerprint;
};

/**
 * The minion's key in a file such as Salt's minion.pem. The public half is the text of the file beside it, because Salt
 * computes the fingerprint over those very lines. Undefined when the file cannot be read. Throws {@link Unusable} when
 * it holds no key.
 */
export function minionKeyIn(file: string): MinionKey | undefined {
  const pem = orNothing(() => readFileSync(file, 'utf8'));
  if (pem === '') return undefined;
  const privateKey = keyIn(pem, file);
  const beside = orNothing(() => readFileSync(publicBeside(file), 'utf8'));
  const derived = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string;
  const publicKey = isHalfOf(privateKey, beside) ? `${beside}\n` : derived;
  return { publicKey, privateKey, fingerprint: minionFingerprintOf(publicKey), ofText: minionTextFingerprintsOf(publicKey)[0] };
}

/** The file with the public half, which is never the file of the key itself, whatever that is called. */
const publicBeside = (file: string): string => `${file.replace(/\.pem$/, '')}.pub`;

/**
 * The minion's proof for a knock of this daemon. RSA keys sign with SHA-256 (RSASSA-PKCS1-v1_5), Ed25519 keys with the
 * hash of their own scheme.
 */
export const minionProofOf = (id: string, { publicKey, privateKey }: MinionKey, daemon: Fingerprint): MinionProof => ({
  id,
  publicKey,
  proof: sign(privateKey.asymmetricKeyType === 'rsa' ? 'sha256' : null, Buffer.from(minionStatement(daemon), 'utf8'), privateKey).toString(
    'base64',
  ),
});

/** The minion's name on this machine, as Salt wrote it to this file; empty where it did not. */
export const saltId = (file: string): string => orNothing(() => readFileSync(file, 'utf8'));

function keyIn(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new Unusable(`${file} holds no private key in PEM: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Whether a text is the public half of a key. A private key says its public half as well, and is none. */
function isHalfOf(privateKey: KeyObject, pem: string): boolean {
  if (pem.includes('PRIVATE KEY')) return false;
  try {
    return derOf(createPublicKey(pem)).equals(derOf(createPublicKey(privateKey)));
  } catch {
    return false;
  }
}

/** A public key as bytes. Keys are compared by these: `equals` of keys of two kinds has OpenSSL refuse the next key. */
const derOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
