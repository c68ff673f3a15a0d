import { createHash, timingSafeEqual } from 'node:crypto';
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { MusterError } from '../../core/errors.ts';
import { type EpochMs, minuteMs, secondMs } from '../../core/time.ts';
import { askService } from '../aws/ask-service.ts';
import { cachedRead } from './kept.ts';
import type { Origin } from './origin.ts';

/** How long the secret is used before it is read again. */
const keepMs = 5 * minuteMs;
/**
 * How soon an unknown secret may cause another read: a new secret is accepted soon, and wrong ones do not cost a call
 * each.
 */
const unknownAgainMs = 10 * secondMs;

/**
 * The secret as it is stored: `previous` is accepted as well, while CloudFront is being deployed with the current one.
 */
const Stored = z.object({ current: z.string().min(32), previous: z.string().min(32).optional() });

/** The place of the secret: `secretId` is a name or an ARN. */
export type SecretOriginOptions = { readonly client: SecretsManagerClient; readonly secretId: string; readonly now: () => EpochMs };

/**
 * The secret that the edge sends, in Secrets Manager. Throws a MusterError `keys.unreadable` if its value has no such
 * secret.
 */
export function secretOrigin({ client, secretId, now }: SecretOriginOptions): Origin {
  const digests = cachedRead(async () => {
    const { SecretString: text = '' } = await askService(
      'read the origin secret',
      client.send(new GetSecretValueCommand({ SecretId: secretId })),
    );
    return digestsIn(text, secretId);
  }, now);
  return {
    isFromEdge: async (secret) => {
      if (secret === undefined) return false;
      const digest = digestOf(secret);
      const isOneOf = (known: readonly Buffer[]): boolean => known.filter((one) => timingSafeEqual(one, digest)).length > 0;
      return isOneOf(await digests.within(keepMs)) || isOneOf(await digests.within(unknownAgainMs));
    },
  };
}

function digestsIn(text: string, secretId: string): readonly Buffer[] {
  const { data } = Stored.safeParse(jsonOf(text));
  if (!data) throw new MusterError('keys.unreadable', `the secret ${secretId} has no {"current": …} of 32 characters or more`, 'never');
  return [data.current, data.previous].flatMap((one) => (one === undefined ? [] : [digestOf(one)]));
}

/** Digests have equal length, so that the time of a comparison reveals nothing. */
const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Undefined if the text is not JSON; the parser's own message would reveal the beginning of the secret. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
