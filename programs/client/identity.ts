import * as z from 'zod';
import type { SigningFor } from '../../lib/api/signed.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { jsonIn } from '../../lib/core/json.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { newKeyPair } from '../../lib/identity/key-pair.ts';
import { Unusable } from '../../lib/machine/command-line.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { ClientRecord } from './state.ts';

const identityFile = 'identity.json';
const stateFile = 'state.json';
const deploymentFile = 'deployment.json';
const Identity = z.strictObject({ version: z.literal(1), publicKey: z.string(), privateKey: z.string() });

/** A machine's own key, and the fingerprint by which it is accepted. */
export type Identity = { readonly publicKey: string; readonly privateKey: string; readonly fp: Fingerprint };

/**
 * The identity in this folder, made now when there is none. Throws {@link Unusable}, naming the file, when it cannot be
 * read: a new key would be a new machine.
 */
export function identityIn(folder: Folder): Identity {
  const stored = identityOf(folder);
  if (stored) return stored;
  const pair = newKeyPair();
  folder.write(identityFile, `${JSON.stringify({ version: 1, ...pair })}\n`);
  return { ...pair, fp: fingerprintOf(pair.publicKey) };
}

/** The identity in this folder; undefined when there is none. Throws as {@link identityIn}. */
export function identityOf(folder: Folder): Identity | undefined {
  const text = folder.read(identityFile);
  if (text === undefined) return undefined;
  const read = Identity.safeParse(jsonIn(text));
  if (!read.success)
    throw new Unusable(`${folder.path}/${identityFile} is damaged; put it back from a backup, or remove it to become a new machine`);
  const { publicKey, privateKey } = read.data;
  return { publicKey, privateKey, fp: fingerprintOf(publicKey) };
}

/**
 * The record of an earlier daemon; a file that cannot be read counts as none, since Muster knows the machine's place.
 */
export function recordIn(folder: Folder): ClientRecord {
  const read = ClientRecord.safeParse(jsonIn(folder.read(stateFile) ?? ''));
  return read.success ? read.data : { phase: 'unheard' };
}

/** Stores the record for the next daemon. */
export const keepIn = (folder: Folder, record: ClientRecord): void => folder.write(stateFile, `${JSON.stringify(record)}\n`);

/**
 * The deployment that knocks are signed for, as learned at this endpoint: another endpoint may be another deployment.
 */
const SignedFor = z.strictObject({ endpoint: z.string(), deployment: z.string().optional(), clockAheadMs: z.number() });

/**
 * The deployment that answered at this endpoint, and by how many ms its clock is ahead. Both are learned anew when the
 * file cannot be read.
 */
export function signedForIn(folder: Folder, endpoint: string): SigningFor {
  const read = SignedFor.safeParse(jsonIn(folder.read(deploymentFile) ?? ''));
  if (!read.success || read.data.endpoint !== endpoint) return { clockAheadMs: 0 };
  const { deployment, clockAheadMs } = read.data;
  return { deployment, clockAheadMs };
}

/** Stores what a refusal has revealed about the deployment. */
export const keepSignedForIn = (folder: Folder, endpoint: string, known: SigningFor): void =>
  folder.write(deploymentFile, `${JSON.stringify({ endpoint, ...known })}\n`);
