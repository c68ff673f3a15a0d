import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { EpochMs } from '../../lib/core/time.ts';
import { treeOf } from '../../lib/uyuni/content/content.ts';
import { packed, unpacked, unpackedManifest } from '../../lib/uyuni/content/packed.ts';
import { accountIn } from '../../programs/agent/uyuni/api/account.ts';
import { serverApi } from '../../programs/agent/uyuni/api/server-api.ts';
import { callMs, contentDiff, contentExport, contentImport, isPost } from '../../programs/agent/uyuni/content/commands.ts';
import { readContent } from '../../programs/agent/uyuni/content/folder.ts';
import { copiedKinds } from '../../programs/agent/uyuni/content/kinds.ts';
import { contentServer } from '../../programs/agent/uyuni/content/server.ts';
import { makeContent } from '../../tools/support/uyuni/make-content.ts';
import { administrator, type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { logIn } from '../support/uyuni-api.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

type Admin = Awaited<ReturnType<typeof logIn>>;

describeWithPostgres('common content', () => {
  const home = mkdtempSync(join(tmpdir(), 'muster-content-'));
  const folder = join(home, 'export');
  let [first, second]: PlayedServer[] = [];
  let [onFirst, onSecond]: Admin[] = [];
  let said: string[] = [];
  const program = {
    limit: (ms: number) => AbortSignal.timeout(ms),
    say: (line: string) => void said.push(line),
    world: { now: () => Date.now() as EpochMs },
  };
  const accountOf = (server: PlayedServer, more = {}): string => {
    const file = join(home, `${server.fqdn}.json`);
    writeFileSync(file, JSON.stringify({ address: server.url, ...administrator, ...more }), { mode: 0o600 });
    chmodSync(file, 0o600);
    return file;
  };
  const given = (server: PlayedServer, more = {}) => ({ uyuniAccount: accountOf(server), home, ...more });
  const from = (server: PlayedServer, path = folder) => contentExport(path, given(server), program);
  const onto = (server: PlayedServer, more = {}, path = folder) => contentImport(path, given(server, more), program);
  const differs = async (server: PlayedServer, path = folder): Promise<string> =>
    (await contentDiff(path, given(server), program)).data ?? '';

  beforeAll(async () => {
    [first, second] = await Promise.all(['uyuni1.acme.test', 'uyuni2.acme.test'].map((fqdn) => startServer({ fqdn })));
    // The numbers of the second server are others.
    await second!.database.rows(`SELECT nextval('rhn_server_group_id_seq'), nextval('suse_ct_filter_seq') FROM generate_series(1, 40)`);
    [onFirst, onSecond] = await Promise.all([first!, second!].map(({ url }) => logIn(url)));
    await makeContent(onFirst!);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop()]);
    rmSync(home, { recursive: true });
  });
  beforeEach(() => {
    said = [];
  });

  it('is the same on an empty server after an export and an import, in every kind', async () => {
    const exported = await from(first!);
    expect(exported).toMatchObject({ code: 0 });
    const content = readContent(folder);
    expect([...content.keys()].sort()).toEqual(copiedKinds.map(({ kind }) => kind).sort());
    for (const [kind, documents] of content) expect([kind, documents.size]).not.toEqual([kind, 0]);
    expect((await contentDiff(folder, given(second!), program)).code).toBe(1);

    expect(await onto(second!)).toEqual({ code: 0, data: '', talk: 'the server is as the folder says' });
    const again = join(home, 'again');
    await from(second!, again);
    expect(readContent(again)).toEqual(content);
    expect(readFileSync(join(again, 'manifest.json'), 'utf8')).toBe(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(exported.data).toContain(treeOf(content).root);
    expect(await contentDiff(folder, given(second!), program)).toEqual({ code: 0, data: '', talk: 'the server is as the folder says' });
  });

  it('is packed as a revision by one agent, and is on another server once its agent has it', async () => {
    const apiOf = (server: PlayedServer) =>
      serverApi({
        ...{ account: () => accountIn(accountOf(server)), fetching: fetch, isPost, say: () => {}, world: program.world },
        limit: (ms) => AbortSignal.timeout(Math.max(ms, callMs)),
      });
    const content = await contentServer(apiOf(first!)).read();
    const { manifest, names, blobs } = packed(content);
    const readBlob = async (name: string) => blobs.get(name)!;
    const revision = await unpacked(await unpackedManifest(names, readBlob), readBlob);
    await onSecond!('systemgroup.create', 'beyond', 'of the second alone');
    const kept = await contentServer(apiOf(second!)).have(revision, { remove: false });
    expect(kept).toMatchObject({ failures: [], differences: [{ kind: 'group', key: 'beyond', is: 'extra' }] });
    const removed = await contentServer(apiOf(second!)).have(revision, { remove: true });
    expect(treeOf(removed.now).root).toBe(manifest.root);
  });

  it('is not changed by a second import', async () => {
    const before = await second!.database.rows(
      'SELECT xmin::text, ctid::text FROM rhnconfigrevision UNION ALL SELECT xmin::text, ctid::text FROM rhnregtoken',
    );
    expect((await onto(second!)).code).toBe(0);
    expect(said.every((line) => line.includes(': 0 made, 0 changed, '))).toBe(true);
    expect(
      await second!.database.rows(
        'SELECT xmin::text, ctid::text FROM rhnconfigrevision UNION ALL SELECT xmin::text, ctid::text FROM rhnregtoken',
      ),
    ).toEqual(before);
  });

  it('that somebody has changed is shown by its fields, and put right', async () => {
    await onSecond!('systemgroup.update', 'web', 'Not the web');
    await onSecond!('channel.software.setDetails', 'acme-base', { summary: 'Other', maintainer_name: 'Eve' });
    await onSecond!('channel.software.disassociateRepo', 'acme-updates', 'acme-updates-repo');
    await onSecond!('configchannel.createOrUpdatePath', 'motd', '/etc/motd', false, { contents: 'Owned' });
    await onSecond!('configchannel.deleteFiles', 'motd', ['/etc/logo.bin']);
    await onSecond!('configchannel.createOrUpdatePath', 'motd', '/etc/motd.link', true, {});
    await onSecond!('activationkey.setDetails', '1-web', { base_channel_label: '', usage_limit: 3 });
    await onSecond!('activationkey.removeChildChannels', '1-web', ['acme-updates']);
    await onSecond!('activationkey.setConfigChannels', ['1-web'], ['base-state']);
    await onSecond!('activationkey.enableConfigDeployment', '1-database');
    await onSecond!('contentmanagement.updateProject', 'lifecycle', { name: 'Other' });
    await onSecond!('contentmanagement.removeEnvironment', 'lifecycle', 'test');
    await onSecond!('maintenance.updateSchedule', 'nightly', { type: 'multi', calendar: '' }, []);
    await onSecond!('kickstart.keys.update', 'acme', 'GPG', 'forged');
    await onSecond!('channel.software.setDetails', 'acme-tools', { gpg_check: 'False' });
    await onSecond!('channel.software.updateRepoSsl', 'acme-deb-repo', '', '', '');
    await onSecond!('contentmanagement.detachSource', 'lifecycle', 'software', 'acme-base');
    await onSecond!('contentmanagement.attachSource', 'lifecycle', 'software', 'acme-base');
    expect((await differs(second!)).split('\n').filter(Boolean)).toEqual([
      '~ activation-key database: deploysConfiguration',
      '~ activation-key web: baseChannel, childChannels, configurationChannels, usageLimit',
      ...[
        '~ channel acme-base: maintainer, summary',
        '~ channel acme-tools: gpg',
        '~ channel acme-updates: repositories',
        '~ configuration motd: files',
      ],
      ...['~ crypto-key acme: content', '~ group web: description', '~ maintenance-schedule nightly: calendar, type'],
      ...['~ project lifecycle: environments, name, sources', '~ repository acme-deb-repo: ssl'],
    ]);
    expect(await onto(second!)).toMatchObject({ code: 0, data: '' });
    expect(await differs(second!)).toBe('');
    expect(await onSecond!('contentmanagement.listProjectEnvironments', 'lifecycle')).toMatchObject([
      ...[{ label: 'dev' }, { label: 'test' }, { label: 'prod' }],
    ]);
  });

  it('beyond what the folder has stays, unless it is to be removed', async () => {
    await onSecond!('systemgroup.create', 'extra', 'Extra');
    await onSecond!('channel.software.create', 'extra-base', 'Extra base', 'Extra', 'channel-x86_64', '');
    await onSecond!('channel.software.create', 'extra-child', 'Extra child', 'Extra', 'channel-x86_64', 'extra-base');
    await onSecond!('activationkey.create', 'extra', 'Extra', 'extra-base', [], false);
    expect((await differs(second!)).split('\n').filter(Boolean)).toEqual([
      ...['+ activation-key extra', '+ channel extra-base', '+ channel extra-child', '+ group extra'],
    ]);
    expect((await onto(second!)).talk).toBe('the server is as the folder says; the server has 4 more, which --remove removes');
    expect(await onto(second!, { remove: true })).toMatchObject({ code: 0, talk: 'the server is as the folder says' });
    expect(await differs(second!)).toBe('');
  });

  it('that a server alone can lose stays: its own authority, built channels and their environments', async () => {
    const content = readContent(folder);
    expect([...(content.get('crypto-key') ?? [])].map(([key]) => key)).toEqual(['acme-ca', 'acme']);
    expect([...(content.get('channel') ?? [])].map(([key]) => key)).not.toContain('lifecycle-dev-acme-base');
    await onSecond!('kickstart.keys.create', 'RHN-ORG-TRUSTED-SSL-CERT', 'SSL', 'that of the second server');
    await onSecond!('contentmanagement.createEnvironment', 'lifecycle', 'prod', 'beyond', 'Beyond', '');
    await onSecond!('channel.software.create', 'lifecycle-beyond-acme-base', 'Built there', '', 'channel-x86_64', '', 'sha256', {});
    const { code, data } = await onto(second!, { remove: true });
    expect([code, data]).toEqual([1, expect.stringContaining('project lifecycle: the server has the environment beyond beyond that')]);
    expect(await onSecond!('kickstart.keys.getDetails', 'RHN-ORG-TRUSTED-SSL-CERT')).toMatchObject({
      content: 'that of the second server',
    });
    expect(await onSecond!('channel.software.isExisting', 'lifecycle-beyond-acme-base')).toBe(true);
    await onSecond!('channel.software.delete', 'lifecycle-beyond-acme-base');
    await onSecond!('contentmanagement.removeEnvironment', 'lifecycle', 'beyond');
    expect(await differs(second!)).toBe('');
  });

  it('that cannot be applied is told entry by entry, and keeps nothing else', async () => {
    const edited = join(home, 'edited');
    await from(first!, edited);
    const change = (file: string, to: (text: string) => string) => {
      const path = join(edited, file);
      writeFileSync(path, to(readFileSync(path, 'utf8')));
    };
    change('activation-key/web.json', (text) => text.replace('"acme-updates"', '"no-such-channel"'));
    change('channel/acme-updates.json', (text) => text.replace('"channel-x86_64"', '"channel-aarch64"'));
    change('group/web.json', (text) => text.replace('Systems of the web', 'The web'));
    writeFileSync(join(edited, 'project', 'odd.json'), JSON.stringify({ kind: 'project', key: 'odd', document: { name: 7 } }));
    await expect(contentImport(edited, given(second!), program)).rejects.toThrow('is not as it was exported');
    const { code, data, talk } = await onto(second!, { edited: true }, edited);
    expect([code, talk]).toEqual([1, '3 of the documents could not be applied whole']);
    expect(data).toContain(
      'activation-key web: the server refuses to give child channels to the activation key 1-web (No such channel no-such-channel)',
    );
    expect(data).toContain('channel acme-updates: the API changes neither the parent nor the architecture');
    expect(data).toContain('project odd: the document has another form than this agent knows');
    expect(await onSecond!('systemgroup.getDetails', 'web')).toMatchObject({ description: 'The web' });
    // What a document that was not understood describes is no less wanted.
    change('group/database.json', (text) => text.replace('"Systems of the database"', '7'));
    expect((await onto(second!, { edited: true, remove: true }, edited)).data).toContain('group database: the document has another form');
    expect(await onSecond!('systemgroup.getDetails', 'database')).toMatchObject({ description: 'Systems of the database' });
    rmSync(join(edited, 'group'), { recursive: true });
    await expect(onto(second!, { edited: true, remove: true }, edited)).rejects.toThrow('has no folder group, which its manifest names');
    expect(await onto(second!)).toMatchObject({ code: 0 });
  });

  it('goes on where it was after an import that was cut short', async () => {
    const third = await startServer({ fqdn: 'uyuni3.acme.test' });
    try {
      const cut = {
        ...program,
        say: (line: string) => {
          if (line.startsWith('channel: ')) third.troubles.isAway = true;
        },
      };
      const outcome = await contentImport(folder, given(third), cut);
      expect([outcome.code, outcome.talk]).toEqual([69, expect.stringContaining('What was done stays done: import again to go on')]);
      third.troubles.isAway = false;
      expect(await onto(third)).toMatchObject({ code: 0, data: '' });
      expect(said.filter((line) => /^(group|channel): /.test(line))).toEqual([
        'group: 0 made, 0 changed, 3 alike',
        'channel: 0 made, 0 changed, 4 alike',
      ]);
      expect(await differs(third)).toBe('');
    } finally {
      await third.stop();
    }
  }, 60_000);

  it('is neither read nor written with a wrong account, nor from a folder that is none', async () => {
    const file = accountOf(first!, { password: 'wrong' });
    const outcome = await contentExport(folder, { uyuniAccount: file, home }, program);
    expect([outcome.code, outcome.talk]).toEqual([69, expect.stringContaining('refuses the login of admin')]);
    // What was exported before is still an export.
    expect(readContent(folder).size).toBe(copiedKinds.length);
    await expect(onto(first!, {}, home)).rejects.toThrow('it is no export');
    await expect(from(first!, join(folder, 'manifest.json'))).rejects.toThrow('not a folder');
    await expect(from(first!, home)).rejects.toThrow('holds something else');
  });
});
