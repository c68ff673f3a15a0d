import { beforeEach, describe, expect, it } from 'vitest';
import admin from '../../../functions/admin.ts';
import knockDoor from '../../../functions/knock.ts';
import type { SystemView } from '../../../lib/clients/admin-routes.ts';
import type { Client } from '../../../lib/clients/client.ts';
import { Later } from '../../../lib/core/errors.ts';
import type { ZoneName } from '../../../lib/core/ids.ts';
import { minuteMs } from '../../../lib/core/time.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf, type Table } from '../../../lib/ports/table/table.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { aKey, showing } from '../../support/callers.ts';
import { aDeployment, type Deployment } from '../../support/deployment.ts';

/* A machine was installed anew: it has another key, and takes the place of the former one. */

let shell: TestShell;
let deployment: Deployment;
beforeEach(() => {
  shell = aShell();
  deployment = aDeployment(shell);
});

const fpOf = (key: string) => fingerprintOf(keyPairOf(key).publicKey);
const knock = async (key: string, more: object = {}) => {
  shell.step(1);
  const pair = keyPairOf(key);
  return deployment.call(
    'POST',
    '/system/knock',
    { publicKey: pair.publicKey, fqdn: 'web1.acme.org', machineId: `of ${key}`, ...more },
    pair,
  );
};
const call = (method: string, path: string, body?: object) => deployment.call(method, `/api/v1/${path}`, body);
const api = async <T>(method: string, path: string, body?: object): Promise<T> => JSON.parse((await call(method, path, body)).body!) as T;
const view = (key: string): Promise<SystemView> => api('GET', `systems/${fpOf(key)}`);
const rowOf = async (key: string) => (await shell.table.read(keyOf({ noun: 'client', id: fpOf(key) })))!;
const clientOf = async (key: string) => (await rowOf(key)).body as Client;
const replace = (old: string, by: string) => call('POST', `systems/${fpOf(old)}/replace`, { by: fpOf(by) });
const answered = ({ status, body }: { status: number; body?: string }) => ({ status, ...(JSON.parse(body!) as object) });

/** An accepted key with labels and a document, and the one that its machine has since it was installed anew. */
async function installedAnew(more: object = {}): Promise<void> {
  await knock('old', more);
  await call('POST', 'systems/accept', { systems: [fpOf('old')], tags: ['web'], groups: ['dmz'] });
  await call('PUT', `systems/${fpOf('old')}/metadata/channels`, { document: { base: 'sles-15' } });
  await call('POST', `systems/${fpOf('old')}/metadata/actions`, { entries: [{ action: 'patch' }] });
  await knock('new', more);
}

describe('a key that takes the place of another', () => {
  it('has its zone, tags, groups and documents, in one order', async () => {
    await installedAnew();

    const because = `accepted into zone default in the place of the key ${fpOf('old').slice(0, 16)}`;
    expect(answered(await replace('old', 'new'))).toEqual({ status: 200, done: true, because });

    expect(await view('new')).toMatchObject({ status: 'orphan', zone: 'default', tags: ['web'], groups: ['dmz'], because });
    expect(await api('GET', `systems/${fpOf('new')}/metadata/channels`)).toMatchObject({ document: { base: 'sles-15' } });
    expect(await api('GET', `systems/${fpOf('new')}/metadata/actions`)).toMatchObject({ document: [{ action: 'patch' }] });
    expect((await rowOf('new')).events).toMatchObject([
      { type: 'client.accepted', data: { tags: ['web'] } },
      { type: 'client.replaced', data: { system: fpOf('new'), fqdn: 'web1.acme.org', zone: 'default', before: fpOf('old') } },
    ]);
  });

  it('goes on with the documents, which are stored where they were', async () => {
    await installedAnew();
    await replace('old', 'new');

    await call('PUT', `systems/${fpOf('new')}/metadata/channels`, { document: { base: 'sles-16' } });
    await call('POST', `systems/${fpOf('new')}/metadata/actions`, { entries: [{ action: 'reboot' }] });
    await call('DELETE', `systems/${fpOf('new')}/metadata/channels`);

    expect(await api('GET', `systems/${fpOf('new')}/metadata/actions`)).toMatchObject({
      document: [{ action: 'patch' }, { action: 'reboot' }],
    });
    expect((await call('GET', `systems/${fpOf('new')}/metadata/channels`)).status).toBe(404);
  });

  it('hands them on to the one that takes its place in turn', async () => {
    await installedAnew();
    await replace('old', 'new');
    await knock('newer');

    await replace('new', 'newer');

    expect(await api('GET', `systems/${fpOf('newer')}/metadata/channels`)).toMatchObject({ document: { base: 'sles-15' } });
    expect((await call('GET', `systems/${fpOf('new')}/metadata/channels`)).status).toBe(404);
  });

  it('is no longer held for the old one, and nor is the next one for that', async () => {
    await installedAnew();
    await replace('old', 'new');
    await knock('another');

    expect([(await clientOf('new')).sameName, (await clientOf('old')).sameName]).toEqual([
      { before: [], after: [fpOf('another')] },
      undefined,
    ]);
    expect((await clientOf('another')).sameName).toEqual({ before: [fpOf('new')], after: [] });
    const note = await shell.table.read(keyOf({ noun: 'system-name', id: 'web1.acme.org' }));
    expect([note!.body, note!.expiresAt]).toEqual([{ keys: [fpOf('new'), fpOf('another')] }, undefined]);
  });

  it('leaves those that share its name with both knowing only of itself', async () => {
    await installedAnew();
    await knock('third');

    await replace('old', 'new');

    expect((await clientOf('third')).sameName).toEqual({ before: [fpOf('new')], after: [] });
    expect((await clientOf('new')).sameName).toEqual({ before: [], after: [fpOf('third')] });
  });

  it('is found by the key of its minion, where that is the one that the old one had', async () => {
    const minion = minionKeyOf('web1');
    const having = (key: string) => ({ minion: minionOf('web1', minion, fpOf(key)) });
    await knock('old', having('old'));
    await call('POST', 'systems/accept', { systems: [fpOf('old')] });
    await knock('new', having('new'));

    await replace('old', 'new');

    expect(await api('GET', `systems/${minion.fingerprint}`)).toMatchObject({ fp: fpOf('new') });
    expect((await knock('new', { ...having('new'), fqdn: 'web2.acme.org' })).body).toBe('2');
  });

  it('may say the machine id of a banned key, that of the old one, and is not held for it', async () => {
    await installedAnew({ machineId: 'one' });

    await replace('old', 'new');

    expect([(await clientOf('new')).sameMachineId, (await clientOf('old')).sameMachineId]).toEqual([undefined, undefined]);
  });
});

describe('the key that was replaced', () => {
  it('is banned: no token of it counts, and it is told so', async () => {
    await installedAnew();
    const { headers } = await knock('old');
    const token = headers!['muster-token']!;

    await replace('old', 'new');

    expect(await clientOf('old')).toMatchObject({ standing: 'banned', replacedBy: fpOf('new') });
    expect((await rowOf('old')).because).toBe(`the key ${fpOf('new').slice(0, 16)} took its place: banned, for ever`);
    shell.step(minuteMs);
    const asks = { method: 'GET', path: '/system/status', query: `fp=${fpOf('old')}`, headers: { 'muster-token': token } };
    const status = await knockDoor.handle(aRequest(asks), shell);
    expect([status.body, (await knock('old')).body]).toEqual(['3', '3']);
  });
});

describe('the order to replace a key', () => {
  it('can be repeated', async () => {
    await installedAnew();
    await replace('old', 'new');
    const before = [(await rowOf('old')).rev, (await rowOf('new')).rev];

    expect(answered(await replace('old', 'new'))).toEqual({ status: 200, done: true, because: 'it took its place already' });
    expect([(await rowOf('old')).rev, (await rowOf('new')).rev]).toEqual(before);
  });

  it('is refused for keys that it is not for, and changes nothing', async () => {
    await installedAnew();
    await knock('waits', { fqdn: 'web2.acme.org' });
    await knock('there', { fqdn: 'web3.acme.org' });
    await call('POST', 'systems/accept', { systems: [fpOf('there')] });
    await call('POST', 'systems/ban', { systems: [fpOf('there')] });
    const refused = async (old: string, by: string) => answered(await replace(old, by));

    expect(await refused('old', 'old')).toMatchObject({ status: 409, type: 'urn:muster:problem:refused' });
    expect(await refused('new', 'old')).toMatchObject({ status: 409, detail: 'web1.acme.org is not accepted: it has no place to give' });
    expect(await refused('there', 'new')).toMatchObject({ status: 409, detail: 'web3.acme.org is banned: it has no place to give' });
    expect(await refused('old', 'there')).toMatchObject({
      status: 409,
      detail: 'the key that takes its place must wait to be accepted, and web3.acme.org is banned',
    });
    expect(await refused('old', 'nobody')).toMatchObject({ status: 404, type: 'urn:muster:problem:unknown-system' });
    expect([(await clientOf('old')).standing, (await clientOf('new')).standing]).toEqual(['accepted', 'pooled']);
  });

  it('needs the right to ban and the right to accept, in the zone of the key', async () => {
    await installedAnew();
    const as = async (scopes: Parameters<typeof rightsOf>[0], zones: 'all' | ZoneName[]) => {
      const headers = { ...showing((await aKey(shell, rightsOf(scopes, zones))).text), 'content-type': 'application/json' };
      const path = `/api/v1/systems/${fpOf('old')}/replace`;
      return (await admin.handle(aRequest({ method: 'POST', path, headers, body: JSON.stringify({ by: fpOf('new') }) }), shell)).status;
    };

    expect(await as(['operate'], 'all')).toBe(403);
    expect(await as(['security'], 'all')).toBe(403);
    expect(await as(['security', 'operate'], ['emea' as ZoneName])).toBe(404);
    expect((await clientOf('old')).standing).toBe('accepted');
    expect(await as(['security', 'operate'], 'all')).toBe(200);
  });

  it('is carried out whole or not at all, wherever it is cut off, and once when it is given again', async () => {
    for (let commits = 0; ; commits++) {
      shell = aShell();
      deployment = aDeployment(shell);
      await installedAnew();
      const cut = cutAfter(shell.table, commits);
      const { status } = await aDeployment({ ...shell, table: cut.table }).call('POST', `/api/v1/systems/${fpOf('old')}/replace`, {
        by: fpOf('new'),
      });
      const standings = [(await clientOf('old')).standing, (await clientOf('new')).standing];
      expect([
        ['accepted', 'pooled'],
        ['banned', 'accepted'],
      ]).toContainEqual(standings);
      expect(answered(await replace('old', 'new'))).toMatchObject({ status: 200, done: true });
      expect(await api('GET', `systems/${fpOf('new')}/metadata/channels`)).toMatchObject({ document: { base: 'sles-15' } });
      if (!cut.wasCut()) return expect(status).toBe(200);
    }
  });
});

/** A table that no longer takes anything after so many commits: nobody hears of what comes then. */
function cutAfter<T extends Table>(table: T, commits: number): { readonly table: T; readonly wasCut: () => boolean } {
  let left = commits;
  return {
    wasCut: () => left < 0,
    table: {
      ...table,
      commit: async (changes) => {
        left -= 1;
        if (left < 0)
          throw new Later('service.busy', `cut off at ${changes.flatMap((one) => ('put' in one ? nameOf(one.put.key) : [])).length} rows`);
        return table.commit(changes);
      },
    },
  };
}
