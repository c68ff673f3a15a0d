import { createHash } from 'node:crypto';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { MusterError } from '../../core/errors.ts';
import { type EpochMs, minuteMs, secondMs } from '../../core/time.ts';
import { askService } from '../aws/ask-service.ts';
import { cachedRead } from './kept.ts';
import { agesOf, grownRing, type KeyRing, parseKeyRing, printKeyRing, ringOfOne, rotatedRing } from './key-ring.ts';
import type { Keys, NextKey, Rotation, TokenKey } from './keys.ts';

/**
 * How long keys are used before the secret is read again: every call costs money, and after a rotation the old key
 * still verifies. Every environment so refuses a retired key this long afterwards at the latest, as long as the service
 * answers.
 */
const keepMs = 5 * minuteMs;

/**
 * How soon an unknown id may cause another read of the secret: soon after a rotation, and not for every forged token.
 */
const unknownAgainMs = 10 * secondMs;

/**
 * How long the previous key continues to sign: an environment that read the secret just before a rotation may not read
 * it again for {@link unknownAgainMs}, and would refuse a token of the new key. Twice that, for clocks that differ.
 */
const signsAfterMs = 2 * unknownAgainMs;

/** The place of the keys: `secretId` is a name or an ARN; `keepsAll` where no key is ever retired. */
export type SecretKeysOptions = {
  readonly client: SecretsManagerClient;
  readonly secretId: string;
  readonly now: () => EpochMs;
  readonly keepsAll?: true;
};

/** The keys in one version of the secret. */
type Version = { readonly ring: KeyRing; readonly version: string };

/**
 * Keys in Secrets Manager: a key ring as JSON, or the bare string that the stack generated, whose SHA-256 is key 1.
 * Cached; once read, they stay in use while the service does not answer. Throws Later for a transient failure at the
 * first reading and at a rotation, a MusterError `keys.unreadable` for a secret without keys.
 */
export function secretKeys(options: SecretKeysOptions): Keys {
  const { now } = options;
  const ring = cachedRead(async () => (await readVersion(options)).ring, now);
  return {
    current: async () => signing(await ring.within(keepMs), now()),
    byId: async (id) => (await ring.within(keepMs)).all.get(id) ?? (await ring.within(unknownAgainMs)).all.get(id),
    known: (id) => ring.known(keepMs)?.all.get(id),
    ages: async () => agesOf((await readVersion(options)).ring),
    rotate: async (next) => {
      const rotation = await rotate(options, next);
      ring.forget();
      return rotation;
    },
  };
}

/** The newest key, or the previous one while environments may not know the newest yet. */
function signing({ current, all, since }: KeyRing, now: EpochMs): TokenKey {
  const madeAt = since.get(current.id);
  if (madeAt === undefined || now - madeAt >= signsAfterMs) return current;
  return [...all.values()].find(({ id }) => id !== current.id) ?? current;
}

async function readVersion({ client, secretId, keepsAll }: SecretKeysOptions): Promise<Version> {
  const {
    SecretString: text,
    VersionId,
    CreatedDate,
  } = await askService('read the keys', client.send(new GetSecretValueCommand({ SecretId: secretId })));
  if (!text) throw new MusterError('keys.unreadable', `the secret ${secretId} is empty`, 'never');
  // A generated string may begin with a brace, but it does not name keys.
  const isRing = text.includes('"keys"');
  const since = keepsAll && CreatedDate ? (CreatedDate.getTime() as EpochMs) : undefined;
  const ring = isRing ? parseKeyRing(text, `the secret ${secretId}`) : ringOfOne(createHash('sha256').update(text).digest(), since);
  return { ring, version: VersionId ?? '' };
}

/**
 * Replaces the present version with a new one. Secrets Manager has no conditional write, but takes a version id once:
 * it is computed from the replaced version, so that of two rotations at once the second is refused
 * (https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutSecretValue.html).
 */
async function rotate(options: SecretKeysOptions, next: NextKey): Promise<Rotation | undefined> {
  const { client, secretId, keepsAll } = options;
  const before = await readVersion(options);
  const rotated = (keepsAll ? grownRing : rotatedRing)(before.ring, next);
  if (!rotated) return undefined;
  const { ring, ...rotation } = rotated;
  const put = new PutSecretValueCommand({
    SecretId: secretId,
    SecretString: printKeyRing(ring),
    ClientRequestToken: createHash('sha256').update(`after ${before.version} ${next.from}`).digest('hex').slice(0, 32),
  });
  try {
    await askService('write the keys', client.send(put));
    return rotation;
  } catch (error) {
    if (error instanceof ResourceExistsException) return undefined;
    throw error;
  }
}
