import { expect, test } from 'vitest';
import { type ApiClient, Unreachable } from '../../../../lib/api/client.ts';
import { contract } from '../../../../lib/contract.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import { register } from '../../../../programs/loadtest/registration.ts';

const wanted = { run: 'r1', zone: 'lab' as ZoneName, pattern: '*.r1.test', nodes: 1, clients: 1, rate: 1 };
const replies = new Map<unknown, object>([
  [contract.status, { deployment: 'd', version: '1' }],
  [contract.createOnboardingToken, { secret: 's', token: { id: 't' } }],
]);

/** A deployment that grants everything; a call to take the token back fails as often as told, with this cause. */
function deployment(failures: number, cause: Error): { readonly api: ApiClient; tries: number } {
  const world = {
    tries: 0,
    api: (async (route: unknown) => {
      if (route === contract.revokeOnboardingToken && world.tries++ < failures) throw new Unreachable('POST: no answer', { cause });
      return { ok: true, status: 200, headers: new Headers(), body: replies.get(route) ?? {} };
    }) as unknown as ApiClient,
  };
  return world;
}

test('what a deployment is too slow to take back is tried again', async () => {
  const slow = deployment(2, new DOMException('too slow', 'TimeoutError'));
  const registration = await register(slow.api, wanted);
  expect(await registration.close()).toEqual([]);
  expect(slow.tries).toBe(3);
});

test('what a deployment that is gone does not take back is said at once', async () => {
  const gone = deployment(1, new TypeError('fetch failed'));
  const registration = await register(gone.api, wanted);
  expect(await registration.close()).toEqual(['onboarding token t: POST: no answer']);
  expect(gone.tries).toBe(1);
});
