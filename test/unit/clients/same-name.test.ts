import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import admin from '../../../functions/admin.ts';
import type { SystemView } from '../../../lib/clients/admin-routes.ts';
import { type Client, pooledForMs } from '../../../lib/clients/client.ts';
import { Fqdn, type ZoneName } from '../../../lib/core/ids.ts';
import { isNoName } from '../../../lib/core/no-name.ts';
import { dayMs } from '../../../lib/core/time.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { aKey, showing } from '../../support/callers.ts';
import { aDeployment, type Deployment } from '../../support/deployment.ts';

/* Two keys that say one name: a machine was installed anew, or two machines were given one name. */

let shell: TestShell;
let deployment: Deployment;
beforeEach(() => {
  shell = aShell();
  deployment = aDeployment(shell);
});

const fpOf = (key: string) => fingerprintOf(keyPairOf(key).publicKey);
const knock = async (key: string, more: { fqdn?: string; machineId?: string; token?: string; zone?: string } = {}): Promise<string> => {
  shell.step(1);
  const pair = keyPairOf(key);
  const body = { publicKey: pair.publicKey, fqdn: 'web1.acme.org', machineId: `of ${key}`, ...more };
  return (await deployment.call('POST', '/system/knock', body, pair)).body!;
};
const api = async <T>(method: string, path: string, body?: object): Promise<T> =>
  JSON.parse((await deployment.call(method, `/api/v1/${path}`, body)).body!) as T;
const view = (key: string): Promise<SystemView> => api('GET', `systems/${fpOf(key)}`);
const rowOf = async (key: string) => shell.table.read(keyOf({ noun: 'client', id: fpOf(key) }));
const sharedBy = async (key: string) => ((await rowOf(key))!.body as Client).sameName;
const noteOf = async (fqdn: string) => shell.table.read(keyOf({ noun: 'system-name', id: fqdn }));
const accept = async (keys: readonly string[], more: object = {}) =>
  (await api<{ results: object[] }>('POST', 'systems/accept', { systems: keys.map(fpOf), ...more })).results;
const newToken = async (): Promise<string> => (await api<{ secret: string }>('POST', 'onboarding-tokens', { uses: 1000 })).secret;

const held = 'another key reported its name first, so only an administrator can accept it, by its fingerprint';

describe('a second key that says a name', () => {
  it('is held whatever token it brings, and uses none of it', async () => {
    const token = await newToken();

    expect([await knock('first', { token }), await knock('second', { token })]).toEqual(['2', '0']);
    expect((await rowOf('second'))?.because).toContain(`its onboarding token was refused: ${held}`);
    expect(await api('GET', 'onboarding-tokens')).toMatchObject({ items: [{ used: 1 }] });
  });

  it('is left out of a bulk, and accepted once somebody says so', async () => {
    await knock('first');
    await knock('second');

    expect(await accept(['second', 'first'])).toEqual([
      { fp: fpOf('second'), done: false, duplicate: true, because: `held: ${held}` },
      { fp: fpOf('first'), done: true, because: 'accepted into zone default' },
    ]);
    expect(await accept(['second'], { duplicates: true })).toEqual([
      { fp: fpOf('second'), done: true, duplicate: true, because: 'accepted into zone default, although another key reports its name' },
    ]);
  });

  it('is found whatever case it writes its name in', async () => {
    await knock('first');

    await knock('second', { fqdn: 'Web1.ACME.org' });

    expect(await sharedBy('second')).toEqual({ before: [fpOf('first')], after: [] });
  });

  it('is shown on both, and concluded once by the one that came later', async () => {
    await knock('first');
    await accept(['first']);
    for (let n = 0; n < 3; n++) await knock('second');

    expect((await view('second')).sameName).toMatchObject({ held: true, keys: [{ fp: fpOf('first'), first: true, zone: 'default' }] });
    expect((await view('first')).sameName).toMatchObject({ held: false, keys: [{ fp: fpOf('second'), first: false, status: 'new' }] });
    const { events } = (await rowOf('second'))!;
    const data = { system: fpOf('second'), fqdn: 'web1.acme.org', others: [fpOf('first')], held: true };
    expect(events.filter(({ type }) => type === 'client.name-shared')).toMatchObject([{ version: 1, data }]);
    const { also } = await api<{ also: { because: string }[] }>('GET', `explain/system/${fpOf('second')}`);
    expect(also.map(({ because }) => because)).toEqual([`held: ${held}`, 'reports the same name, and did so first: web1.acme.org, orphan']);
  });

  it('that says its machine id too is held for both at once, by one word', async () => {
    await knock('first', { machineId: 'one' });
    await knock('second', { machineId: 'one' });

    const because =
      'held: another key reported its machine id and its name first, so only an administrator can accept it, by its fingerprint';
    expect(await accept(['second'])).toMatchObject([{ done: false, because }]);
    expect(await accept(['second'], { duplicates: true })).toMatchObject([{ done: true }]);
  });

  it('tells nothing of another zone to whoever is limited to one', async () => {
    await knock('first');
    await accept(['first']);
    await knock('second', { zone: 'emea' });
    await deployment.call('POST', '/api/v1/zones', { name: 'emea' });
    await deployment.publish();
    const limited = showing((await aKey(shell, rightsOf(['read', 'operate'], ['emea' as ZoneName]))).text);

    for (const path of [`systems/${fpOf('second')}`, `explain/system/${fpOf('second')}`, `history/system/${fpOf('second')}`]) {
      const { status, body = '' } = await admin.handle(aRequest({ method: 'GET', path: `/api/v1/${path}`, headers: limited }), shell);
      expect([status, body.includes(fpOf('first'))], path).toEqual([200, false]);
    }
  });

  it('is one of two that come at once', async () => {
    const token = await newToken();

    expect((await Promise.all([knock('one', { token }), knock('other', { token })])).toSorted()).toEqual(['0', '2']);
  });

  it('is free once it has a name of its own, and so is the one that it came after', async () => {
    const token = await newToken();
    await knock('first');
    await knock('second', { token });

    expect(await knock('second', { token, fqdn: 'web2.acme.org' })).toBe('2');
    expect([await sharedBy('first'), await sharedBy('second'), (await view('second')).fqdn]).toEqual([
      undefined,
      undefined,
      'web2.acme.org',
    ]);
    expect([(await noteOf('web1.acme.org'))?.body, (await noteOf('web2.acme.org'))?.body]).toEqual([
      { keys: [fpOf('first')] },
      { keys: [fpOf('second')] },
    ]);
  });

  it('that was accepted before stays so when it takes the name of another, and both show it', async () => {
    await knock('first');
    await knock('second', { fqdn: 'web2.acme.org' });
    await accept(['first', 'second']);

    expect(await knock('second')).toBe('2');
    expect((await view('second')).sameName).toMatchObject({ held: false, keys: [{ fp: fpOf('first'), first: true }] });
    expect((await rowOf('second'))!.events).toMatchObject([{ type: 'client.name-shared', data: { held: false } }]);
  });
});

describe('a name that names no machine', () => {
  it('is known as such, and no other is', () => {
    for (const name of ['localhost.localdomain', 'localhost4.localdomain4', 'ip6-localhost', 'db.localhost'])
      expect([name, isNoName(Fqdn.parse(name))]).toEqual([name, true]);
    for (const name of ['web1', 'localhosts.acme.org', 'my-localhost.acme.org', 'web1.localdomain'])
      expect([name, isNoName(Fqdn.parse(name))]).toEqual([name, false]);
  });

  it('holds each machine that has no better one, for its own sake, and is not recorded', async () => {
    const token = await newToken();
    const fqdn = 'localhost.localdomain';
    const why =
      'localhost.localdomain names no machine, so only an administrator can accept it, by its fingerprint; give the machine a host name of its own';

    expect([await knock('one', { fqdn, token }), await knock('other', { fqdn })]).toEqual(['0', '0']);
    expect((await view('one')).because).toContain(`its onboarding token was refused: ${why}`);
    expect((await view('other')).sameName).toEqual({ held: true, because: `held: ${why}`, keys: [], noName: true });
    expect(await noteOf(fqdn)).toBeUndefined();
    expect(await accept(['one'])).toMatchObject([{ done: false, duplicate: true, because: `held: ${why}` }]);
    expect(await accept(['one'], { duplicates: true })).toMatchObject([
      { done: true, because: 'accepted into zone default, although localhost.localdomain names no machine' },
    ]);
    expect((await view('one')).sameName).toBeUndefined();
  });
});

describe('what is noted of a name', () => {
  it('is forgotten with keys that nobody accepted', async () => {
    await knock('first');
    shell.step(3 * pooledForMs + dayMs);

    await knock('second');

    expect(await sharedBy('second')).toBeUndefined();
  });

  it('stays for ever for a key that was accepted, by a token or by a person', async () => {
    await knock('by-a-token', { token: await newToken() });
    await knock('by-a-person', { fqdn: 'web2.acme.org' });
    expect((await noteOf('web2.acme.org'))!.expiresAt).toBeDefined();

    await accept(['by-a-person']);

    expect([(await noteOf('web1.acme.org'))!.expiresAt, (await noteOf('web2.acme.org'))!.expiresAt]).toEqual([undefined, undefined]);
    expect((await noteOf('web2.acme.org'))!.body).toEqual({ keys: [fpOf('by-a-person')] });
  });

  it('costs a machine that is known nothing', async () => {
    await knock('first');
    const { rev } = (await noteOf('web1.acme.org'))!;

    for (let n = 0; n < 5; n++) await knock('first');

    expect((await noteOf('web1.acme.org'))!.rev).toBe(rev);
  });
});

type Step = { readonly who: string; readonly does: 'knocks' | 'knocks with a token' | 'is in a bulk' | 'is called otherwise' };

/** Plays the steps where nobody knocked before; the rows of whoever was accepted. A bulk is of all who wait. */
async function acceptedAfter(steps: readonly Step[]): Promise<Client[]> {
  shell = aShell();
  deployment = aDeployment(shell);
  const token = await newToken();
  const came = new Set<string>();
  for (const { who, does } of steps)
    if (does === 'is in a bulk') await accept([...came, 'nobody']);
    else {
      await knock(who, does === 'knocks with a token' ? { token } : does === 'is called otherwise' ? { fqdn: `${who}.acme.org` } : {});
      came.add(who);
    }
  const rows = await Promise.all([...came].map(async (key) => (await rowOf(key))!.body as Client));
  return rows.filter(({ standing }) => standing === 'accepted');
}

const others = ({ sameName }: Client): readonly string[] => [...(sameName?.before ?? []), ...(sameName?.after ?? [])];

describe('of several keys with one name', () => {
  it('two are accepted only where one took the name of the other later, and then both say so', async () => {
    const does = fc.constantFrom(
      'knocks' as const,
      'knocks with a token' as const,
      'is in a bulk' as const,
      'is called otherwise' as const,
    );
    const step = fc.record({ who: fc.constantFrom('a', 'b', 'c'), does });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const accepted = await acceptedAfter(steps);
        for (const client of accepted) {
          const alike = accepted.filter((other) => other !== client && other.fqdn === client.fqdn);
          expect(others(client)).toEqual(expect.arrayContaining(alike.map(({ fp }) => fp)));
        }
      }),
      { numRuns: 40 },
    );
  });
});
