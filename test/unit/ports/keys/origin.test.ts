import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, describe, expect, test } from 'vitest';
import { minuteMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import type { Origin } from '../../../../lib/ports/keys/origin.ts';
import { secretOrigin } from '../../../../lib/ports/keys/secret-origin.ts';
import { noon } from '../../../../tools/support/a-row.ts';
import { type Answer, type CannedService, cannedService, refusal } from '../../../support/canned-service.ts';

const first = 'a'.repeat(64);
const second = 'b'.repeat(64);
const third = 'c'.repeat(64);
const secret = (stored: object | string): Answer => ({
  body: { SecretString: typeof stored === 'string' ? stored : JSON.stringify(stored) },
});

let service: CannedService;
let moment = noon;
afterEach(() => service.close());
const originThatMeets = async (...answers: Answer[]): Promise<Origin> => {
  moment = noon;
  service = await cannedService(...answers);
  return secretOrigin({ client: new SecretsManagerClient(service.client), secretId: 'origin', now: () => moment });
};
const shown = (origin: Origin, ...secrets: (string | undefined)[]): Promise<boolean[]> =>
  Promise.all(secrets.map((one) => origin.isFromEdge(one)));

describe('the secret of the edge', () => {
  test('is the current one, or the previous one while there is one', async () => {
    const origin = await originThatMeets(secret({ current: second, previous: first }));
    expect(await shown(origin, first, second, third)).toEqual([true, true, false]);
  });

  test('is no other text, and not asked for when nothing is shown', async () => {
    const origin = await originThatMeets(secret({ current: first }));
    expect(await shown(origin, undefined)).toEqual([false]);
    expect(service.asked).toHaveLength(0);
    expect(await shown(origin, '', first.slice(1), `${first}a`, first.toUpperCase(), first)).toEqual([false, false, false, false, true]);
  });

  test('is read once in five minutes, and for wrong ones once in ten seconds', async () => {
    const origin = await originThatMeets(secret({ current: first }), secret({ current: second, previous: first }));
    await shown(origin, first, third, third, first);
    expect(service.asked).toHaveLength(1);
    moment = plusMs(noon, 10 * secondMs);
    expect(await shown(origin, second, third, third)).toEqual([true, false, false]);
    expect(service.asked).toHaveLength(2);
  });

  test('that was replaced is taken no more, five minutes later at the latest', async () => {
    const origin = await originThatMeets(secret({ current: second, previous: first }), secret({ current: second }));
    expect(await shown(origin, first)).toEqual([true]);
    moment = plusMs(noon, 5 * minuteMs);
    expect(await shown(origin, first, second)).toEqual([false, true]);
  });

  test('stays in use while the service does not answer, and is transient before it was read', async () => {
    const busy = refusal('InternalServiceError', {}, 500);
    const origin = await originThatMeets(busy, secret({ current: first }), busy);
    await expect(origin.isFromEdge(first)).rejects.toMatchObject({ code: 'service.busy', retry: 'later' });
    expect(await shown(origin, first)).toEqual([true]);
    moment = plusMs(noon, 5 * minuteMs);
    expect(await shown(origin, first, third)).toEqual([true, false]);
  });

  test.each(['', 'no JSON', '{}', '{"current":"short"}', `{"previous":"${first}"}`])('that holds none is refused: %s', async (text) => {
    const origin = await originThatMeets(secret(text));
    await expect(origin.isFromEdge(first)).rejects.toMatchObject({ code: 'keys.unreadable', retry: 'never' });
  });
});
