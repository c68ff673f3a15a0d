import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether this machine can make certificates, which node:crypto cannot. */
export const canMakeCertificates = spawnSync('openssl', ['version']).status === 0;

/** A certificate of a test with its key, in files of a folder that `remove` removes. */
export type TestCertificate = { readonly cert: string; readonly key: string; readonly pem: string; readonly remove: () => void };

/**
 * A certificate that signs itself, for these names (`DNS:` or `IP:` before each) and one day. Throws what openssl
 * complains of.
 */
export function aCertificate(names: readonly string[]): TestCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'muster-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=muster test', '-addext', `subjectAltName=${names.join(',')}`];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '1',
    '-keyout',
    key,
    '-out',
    cert,
  ];
  const { status, stderr } = spawnSync('openssl', [...made, ...subject], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  chmodSync(key, 0o600);
  return { cert, key, pem: readFileSync(cert, 'utf8'), remove: () => rmSync(folder, { recursive: true }) };
}
