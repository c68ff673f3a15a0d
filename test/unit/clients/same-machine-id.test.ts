import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import admin from '../../../functions/admin.ts';
import type { SystemView } from '../../../lib/clients/admin-routes.ts';
import { type Client, pooledForMs } from '../../../lib/clients/client.ts';
import type { ClaimKeys } from '../../../lib/clients/rows/claims.ts';
import type { ZoneName } from '../../../lib/core/ids.ts';
import { machineIdHash } from '../../../lib/core/machine-id.ts';
import { dayMs } from '../../../lib/core/time.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { aKey, showing } from '../../support/callers.ts';
import { aDeployment, type Deployment } from '../../support/deployment.ts';

/*
 * Two keys that say one machine id: a virtual machine was cloned with /etc/machine-id in its image, or a machine was
 * installed anew.
 */

let shell: TestShell;
let deployment: Deployment;
beforeEach(() => {
  shell = aShell();
  deployment = aDeployment(shell);
});

const fpOf = (name: string) => fingerprintOf(keyPairOf(name).publicKey);
const knock = async (name: string, more: { machineId?: string; token?: string; zone?: string } = {}): Promise<string> => {
  shell.step(1);
  const pair = keyPairOf(name);
  const body = { publicKey: pair.publicKey, fqdn: `${name}.acme.org`, machineId: 'the same', ...more };
  return (await deployment.call('POST', '/system/knock', body, pair)).body!;
};
const api = async <T>(method: string, path: string, body?: object): Promise<T> =>
  JSON.parse((await deployment.call(method, `/api/v1/${path}`, body)).body!) as T;
const view = (name: string): Promise<SystemView> => api('GET', `systems/${fpOf(name)}`);
const rowOf = async (name: string) => shell.table.read(keyOf({ noun: 'client', id: fpOf(name) }));
const sharedBy = async (name: string) => ((await rowOf(name))!.body as Client).sameMachineId;
const noteOf = async (machineId: string) => shell.table.read(keyOf({ noun: 'machine-id', id: machineIdHash(machineId) }));
const accept = async (names: readonly string[], more: object = {}) =>
  (await api<{ results: object[] }>('POST', 'systems/accept', { systems: names.map(fpOf), ...more })).results;
const newToken = async (): Promise<string> => (await api<{ secret: string }>('POST', 'onboarding-tokens', { uses: 1000 })).secret;

const held = 'another key reported its machine id first, so only an administrator can accept it, by its fingerprint';

describe('a second key that says a machine id', () => {
  it('is held whatever token it brings, and uses none of it', async () => {
    const token = await newToken();
    expect([await knock('first', { token }), await knock('clone', { token })]).toEqual(['2', '0']);
    shell.step(dayMs);
    expect([await knock('clone', { token }), await knock('first', { token })]).toEqual(['0', '2']);
    expect((await rowOf('clone'))?.because).toBe(`it waits in the onboarding pool; its onboarding token was refused: ${held}`);
    expect(await api('GET', 'onboarding-tokens')).toMatchObject({ items: [{ used: 1 }] });
  });

  it('is left out of a bulk, and accepted once somebody says so', async () => {
    await knock('first');
    await knock('clone');
    expect(await accept(['clone', 'first'])).toEqual([
      { fp: fpOf('clone'), done: false, duplicate: true, because: `held: ${held}` },
      { fp: fpOf('first'), done: true, because: 'accepted into zone default' },
    ]);
    expect(await accept(['clone'], { duplicates: true })).toEqual([
      {
        fp: fpOf('clone'),
        done: true,
        duplicate: true,
        because: 'accepted into zone default, although another key reports its machine id',
      },
    ]);
    expect([await knock('first'), await knock('clone')]).toEqual(['2', '2']);
  });

  it('is shown on both, with what the other one is', async () => {
    await knock('first');
    await accept(['first']);
    await knock('clone');
    expect((await view('clone')).sameMachineId).toMatchObject({
      held: true,
      keys: [{ fp: fpOf('first'), first: true, fqdn: 'first.acme.org', status: 'orphan', zone: 'default' }],
    });
    expect((await view('first')).sameMachineId).toMatchObject({
      held: false,
      keys: [{ fp: fpOf('clone'), first: false, fqdn: 'clone.acme.org', status: 'new' }],
    });
    const { also } = await api<{ also: { subject: string; because: string }[] }>('GET', `explain/system/${fpOf('clone')}`);
    expect(also.map(({ because }) => because)).toEqual([
      `held: ${held}`,
      'reports the same machine id, and did so first: first.acme.org, orphan',
    ]);
  });

  it('tells nothing of another zone to whoever is limited to one', async () => {
    await knock('first');
    await accept(['first']);
    await knock('clone', { zone: 'emea' });
    await deployment.call('POST', '/api/v1/zones', { name: 'emea' });
    await deployment.publish();
    const limited = showing((await aKey(shell, rightsOf(['read', 'operate'], ['emea' as ZoneName]))).text);
    const seen = async (path: string) => {
      const { status, body = '' } = await admin.handle(aRequest({ method: 'GET', path: `/api/v1/${path}`, headers: limited }), shell);
      return { status, body };
    };
    for (const path of [`systems/${fpOf('clone')}`, `explain/system/${fpOf('clone')}`, `history/system/${fpOf('clone')}`]) {
      const { status, body } = await seen(path);
      expect([status, body.includes(fpOf('first')), body.includes('first.acme.org')], path).toEqual([200, false, false]);
    }
    expect(JSON.parse((await seen(`systems/${fpOf('clone')}`)).body)).toMatchObject({ sameMachineId: { held: true, keys: [] } });
  });

  it('is concluded once, however often it knocks, by the one that came later', async () => {
    await knock('first');
    for (let n = 0; n < 3; n++) await knock('clone');
    const data = { system: fpOf('clone'), fqdn: 'clone.acme.org', machineId: 'the same', others: [fpOf('first')], held: true };
    const row = (await rowOf('clone'))!;
    expect(row.events.filter(({ type }) => type === 'client.duplicated')).toMatchObject([{ version: 1, data }]);
    expect((await rowOf('first'))!.events).toEqual([]);
  });

  it('is one of two that come at once', async () => {
    const token = await newToken();
    expect((await Promise.all([knock('one', { token }), knock('other', { token })])).toSorted()).toEqual(['0', '2']);
  });

  it('stays held for one that is banned: who was sent away does not come back by a token with another key', async () => {
    await knock('first');
    await api('POST', 'systems/ban', { systems: [fpOf('first')] });
    expect(await knock('again', { token: await newToken() })).toBe('0');
    expect((await view('again')).sameMachineId).toMatchObject({ held: true, keys: [{ status: 'deleted' }] });
  });

  it('is free once it is given a machine id of its own, and so is the one that it came after', async () => {
    const token = await newToken();
    await knock('first');
    await knock('clone', { token });
    expect(await knock('clone', { token, machineId: 'its own' })).toBe('2');
    expect([await sharedBy('first'), await sharedBy('clone'), (await view('clone')).machineId]).toEqual([undefined, undefined, 'its own']);
    expect([(await noteOf('the same'))?.body, (await noteOf('its own'))?.body]).toEqual([
      { keys: [fpOf('first')] },
      { keys: [fpOf('clone')] },
    ]);
  });
});

describe('what is noted of a machine id', () => {
  it('holds a machine that was forgotten, and comes back after another key was accepted', async () => {
    await knock('first');
    await knock('clone');
    await accept(['clone'], { duplicates: true });
    shell.step(pooledForMs + dayMs);
    await knock('first');

    expect(await sharedBy('first')).toEqual({ before: [fpOf('clone')], after: [] });
    expect(await sharedBy('clone')).toEqual({ before: [], after: [fpOf('first')] });
    expect(await accept(['first'])).toMatchObject([{ done: false, duplicate: true }]);
  });

  it('is forgotten with keys that nobody accepted, and lasts as long as one of them knocks', async () => {
    await knock('first');
    for (let day = 0; day < 200; day += 20) {
      shell.step(20 * dayMs);
      await knock('first');
    }
    await knock('clone');
    expect((await sharedBy('clone'))?.before).toEqual([fpOf('first')]);
    shell.step(31 * dayMs);
    await knock('third');
    expect(await sharedBy('third')).toBeUndefined();
    shell.step(91 * dayMs);
    expect((await noteOf('the same'))!.expiresAt).toBeLessThan(shell.now());
  });

  it('stays for ever for a key that was accepted, by a token or by a person', async () => {
    await knock('by-a-token', { token: await newToken() });
    await knock('by-a-person', { machineId: 'another' });
    expect((await noteOf('another'))!.expiresAt).toBeDefined();
    await accept(['by-a-person']);
    expect([(await noteOf('the same'))!.expiresAt, (await noteOf('another'))!.expiresAt]).toEqual([undefined, undefined]);
    shell.step(1000 * dayMs);
    expect([await knock('a-clone'), await knock('a-clone-of-another', { machineId: 'another' })]).toEqual(['0', '0']);
    expect([(await sharedBy('a-clone'))?.before.length, (await sharedBy('a-clone-of-another'))?.before.length]).toEqual([1, 1]);
  });

  it('names eight keys at the most, however many machines were made of one image', async () => {
    for (let n = 0; n < 12; n++) await knock(`clone${n}`);
    expect(((await noteOf('the same'))!.body as ClaimKeys).keys).toHaveLength(8);
    const first = (await sharedBy('clone0'))!;
    const last = (await sharedBy('clone11'))!;
    expect([first.before.length, first.after.length, last.before.length, last.after.length]).toEqual([0, 7, 8, 0]);
  });

  it('costs a machine that is known nothing', async () => {
    await knock('first');
    await knock('clone');
    const rev = (await noteOf('the same'))!.rev;
    for (let n = 0; n < 5; n++) await knock('clone');
    expect((await noteOf('the same'))!.rev).toBe(rev);
  });

  it('is a row whatever a machine says', async () => {
    const anything = fc.oneof(fc.string({ minLength: 1, maxLength: 64, unit: 'binary' }), fc.constantFrom('\ud800', '#', 'uninitialized'));
    let n = 0;
    await fc.assert(
      fc.asyncProperty(anything, async (machineId) => {
        n += 2;
        expect([await knock(`m${n}`, { machineId }), await knock(`m${n + 1}`, { machineId })]).toEqual(['0', '0']);
        expect((await sharedBy(`m${n + 1}`))!.before.length).toBeGreaterThan(0);
      }),
      { numRuns: 30 },
    );
  });
});

type Step = { readonly who: string; readonly does: 'knocks' | 'knocks with a token' | 'is in a bulk' };

/** Plays the steps where nobody knocked before; whoever came, in order. A bulk is of all who wait. */
async function played(steps: readonly Step[]): Promise<string[]> {
  const token = await newToken();
  const came = new Set<string>();
  for (const { who, does } of steps)
    if (does === 'is in a bulk') await accept([...came, 'nobody']);
    else {
      await knock(who, does === 'knocks' ? {} : { token });
      came.add(who);
    }
  return [...came];
}

describe('of several keys with one machine id', () => {
  it('none but the first is accepted without an administrator’s word, in any order of knocks, tokens and bulks', async () => {
    const does = fc.constantFrom('knocks' as const, 'knocks with a token' as const, 'is in a bulk' as const);
    const step = fc.record({ who: fc.constantFrom('a', 'b', 'c'), does });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        shell = aShell();
        deployment = aDeployment(shell);
        const [first, ...later] = await played(steps);
        for (const name of later) expect((await rowOf(name))!.body).toMatchObject({ standing: 'pooled' });
        // The first is not kept out by those who came after it.
        if (first !== undefined) expect((await accept([first]))[0]).toMatchObject({ fp: fpOf(first) });
        if (first !== undefined) expect((await rowOf(first))!.body).toMatchObject({ standing: 'accepted' });
      }),
      { numRuns: 40 },
    );
  });
});
