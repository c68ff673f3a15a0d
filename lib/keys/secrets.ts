import { createHash } from 'node:crypto';
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Later, MusterError } from '../errors.ts';
import { askService } from '../storage/weather.ts';
import { type EpochMs, minuteMs, secondMs } from '../units.ts';
import { type KeyRing, parseKeyRing, ringOfOne } from './key-ring.ts';
import type { Keys } from './keys.ts';

/** How long keys are used before the secret is read again: every call costs money, and after a rotation the old key still verifies. */
const keepMs = 5 * minuteMs;

/** How soon an unknown id may make us read the secret again: at once after a rotation, and not for every forged token. */
const unknownAgainMs = 10 * secondMs;

/** Where the keys are: `secretId` is a name or an ARN. */
export type SecretKeysOptions = { readonly client: SecretsManagerClient; readonly secretId: string; readonly now: () => EpochMs };

/**
 * Keys in Secrets Manager: a key ring as JSON, or the bare string that the stack had generated, whose SHA-256 is key 1. Cached; once
 * read, they stay in use while the service does not answer. Throws {@link Later} for weather at the first reading, a MusterError
 * `keys.unreadable` for a secret that holds no keys.
 */
export function secretKeys({ client, secretId, now }: SecretKeysOptions): Keys {
  let read: { readonly ring: Promise<KeyRing>; readonly at: EpochMs } | undefined;
  let lastGood: KeyRing | undefined;
  const ringWithin = async (ageMs: number): Promise<KeyRing> => {
    if (!read || now() - read.at >= ageMs) read = { ring: readRing(client, secretId), at: now() };
    try {
      lastGood = await read.ring;
    } catch (error) {
      if (!lastGood || !(error instanceof Later)) {
        read = undefined;
        throw error;
      }
    }
    return lastGood;
  };
  return {
    current: async () => (await ringWithin(keepMs)).current,
    byId: async (id) => (await ringWithin(keepMs)).all.get(id) ?? (await ringWithin(unknownAgainMs)).all.get(id),
  };
}

async function readRing(client: SecretsManagerClient, secretId: string): Promise<KeyRing> {
  const { SecretString: text } = await askService('read the keys', client.send(new GetSecretValueCommand({ SecretId: secretId })));
  if (!text) throw new MusterError('keys.unreadable', `the secret ${secretId} is empty`, 'never');
  // A generated string may begin with a brace, but it does not name keys.
  return text.includes('"keys"') ? parseKeyRing(text, `the secret ${secretId}`) : ringOfOne(createHash('sha256').update(text).digest());
}
