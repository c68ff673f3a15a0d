import { createHash, timingSafeEqual } from 'node:crypto';
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { MusterError } from '../../core/errors.ts';
import { type EpochMs, minuteMs, secondMs } from '../../core/time.ts';
import { askService } from '../aws/ask-service.ts';
import { kept } from './kept.ts';
import type { Origin } from './origin.ts';

/** How long the secret is used before it is read again. */
const keepMs = 5 * minuteMs;
/**
 * How soon one that is not known may make us read again: a new one is soon taken, and wrong ones do not cost a call
 * each.
 */
const unknownAgainMs = 10 * secondMs;

/** The secret as it is kept: `previous` is taken as well, while CloudFront is being told the current one. */
const Stored = z.object({ current: z.string().min(32), previous: z.string().min(32).optional() });

/** Where the secret is: `secretId` is a name or an ARN. */
export type SecretOriginOptions = { readonly client: SecretsManagerClient; readonly secretId: string; readonly now: () => EpochMs };

/**
 * The secret that the edge shows, in Secrets Manager. Throws a MusterError `keys.unreadable` for one that holds none.
 */
export function secretOrigin({ client, secretId, now }: SecretOriginOptions): Origin {
  const digests = kept(async () => {
    const { SecretString: text = '' } = await askService(
      'read the origin secret',
      client.send(new GetSecretValueCommand({ SecretId: secretId })),
    );
    return digestsIn(text, secretId);
  }, now);
  return {
    isShown: async (secret) => {
      if (secret === undefined) return false;
      const shown = digestOf(secret);
      const isOneOf = (known: readonly Buffer[]): boolean => known.filter((one) => timingSafeEqual(one, shown)).length > 0;
      return isOneOf(await digests.within(keepMs)) || isOneOf(await digests.within(unknownAgainMs));
    },
  };
}

function digestsIn(text: string, secretId: string): readonly Buffer[] {
  const { data } = Stored.safeParse(jsonOf(text));
  if (!data) throw new MusterError('keys.unreadable', `the secret ${secretId} holds no {"current": …} of 32 characters or more`, 'never');
  return [data.current, data.previous].flatMap((one) => (one === undefined ? [] : [digestOf(one)]));
}

/** Of equal length, so that nothing is told by how long a comparison takes. */
const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Undefined for what is no JSON; the parser's own message would show the beginning of the secret. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
