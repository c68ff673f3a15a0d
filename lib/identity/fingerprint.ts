import { hash } from 'node:crypto';
import type { Fingerprint, NodeId } from '../core/ids.ts';

/** The fingerprint of a raw Ed25519 public key (base64url): SHA-256 over its 32 bytes. */
export const fingerprintOf = (publicKey: string): Fingerprint => hash('sha256', Buffer.from(publicKey, 'base64url'), 'hex') as Fingerprint;

/**
 * The fingerprint of a Salt minion's key, as `salt-key -f` prints it: SHA-256 over the body lines of its PEM, each with
 * its newline.
 */
export const minionFingerprintOf = (pem: string): Fingerprint => {
  const lines = pem.split(/\r?\n/).filter((line) => line.trim() !== '');
  const body = lines
    .slice(1, -1)
    .map((line) => `${line}\n`)
    .join('');
  return hash('sha256', body, 'hex') as Fingerprint;
};

/**
 * The fingerprints of a Salt minion's key as `salt-key -f` of Salt 3008 prints them: SHA-256 over the whole text of the
 * key as the master has stored it. Minions send the text without a newline at its end, the first of these; a file that
 * was copied has one there, the second. Up to 3007, and on the minion itself, Salt prints {@link minionFingerprintOf}.
 */
export function minionTextFingerprintsOf(pem: string): readonly [Fingerprint, Fingerprint] {
  const text = pem.trim().split(/\r?\n/).join('\n');
  const ofText = (one: string): Fingerprint => hash('sha256', one, 'hex') as Fingerprint;
  return [ofText(text), ofText(`${text}\n`)];
}

/** The id of a node: from the key it first joined with, so that the same key joining again is the same node. */
export const nodeIdOf = (publicKey: string): NodeId => `n${fingerprintOf(publicKey).slice(0, 16)}` as NodeId;

/**
 * A short mark of a caller, by the name that the audit has for it, to distinguish callers in a row that must stay
 * small.
 */
export const markOfCaller = (who: string): string => hash('sha256', who, 'base64url').slice(0, 8);
