import { afterAll, beforeAll, expect, it } from 'vitest';
import { methods as documented } from '../../lib/uyuni/api/methods.ts';
import { methods as played } from '../../tools/support/uyuni/api/methods.ts';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { faultOf, logIn } from '../support/uyuni-api.ts';
import { jsonOf, makeChannel } from '../support/uyuni-json.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

describeWithPostgres('the common content of a played Uyuni server', () => {
  let server: PlayedServer;
  let admin: Awaited<ReturnType<typeof logIn>>;
  let calls: Awaited<ReturnType<typeof jsonOf>>;
  const result: typeof calls.result = (method, values) => calls.result(method, values);
  const refusal: typeof calls.refusal = (method, values) => calls.refusal(method, values);
  const channel = (label: string, parentLabel: string, more?: object) => makeChannel(calls, label, parentLabel, more);
  const file = async (label: string, path: string): Promise<unknown> =>
    ((await result('configchannel.lookupFileInfo', { label, paths: [path] })) as unknown[])[0];

  beforeAll(async () => {
    server = await startServer({ fqdn: 'content.acme.test' });
    admin = await logIn(server.url);
    calls = await jsonOf(server.url);
  });
  afterAll(() => server?.stop());

  it('is made by methods of the names and verbs that the documentation gives them', () => {
    for (const { name, params, reads } of played) {
      // A search is played as what it is, a read; the documentation calls it a change.
      if (name === 'system.searchByName') continue;
      const forms = documented.get(name)?.map((form) => [form.jsonNames.join(), form.reads]);
      expect([name, forms]).toEqual([name, expect.arrayContaining([[Object.keys(params).join(), reads]])]);
    }
  });

  it('has channels with their keys, checks and maintainers, which are made, changed and deleted', async () => {
    await channel('base', '', { gpgCheck: false });
    await channel('child', 'base');
    await server.database.rows(
      `INSERT INTO rhnchannel (id, channel_arch_id, label, basedir, name, summary) VALUES (nextval('rhn_channel_id_seq'), 1, 'vendor', '', 'Vendor', '')`,
    );
    expect(await result('channel.listMyChannels')).toMatchObject([{ label: 'base' }, { label: 'child' }]);
    expect(await result('channel.listAllChannels')).toHaveLength(3);
    expect(await result('channel.software.getDetails', { channelLabel: 'base' })).toMatchObject({
      ...{ checksum_label: 'sha512', gpg_check: false, gpg_key_url: 'https://mirror.acme.test/key', gpg_key_id: '1A2B3C4D' },
      ...{ gpg_key_fp: '00 11', description: '', support_policy: '', maintainer_name: '', contentSources: [] },
    });
    await result('channel.software.setDetails', {
      channelLabel: 'child',
      details: { gpg_check: 'False', checksum_label: 'sha256', description: 'A\nB', maintainer_name: 'Ada', name: 'Another' },
    });
    expect(await result('channel.software.listChildren', { channelLabel: 'base' })).toMatchObject([
      { label: 'child', name: 'Another', gpg_check: false, checksum_label: 'sha256', description: 'A\nB', maintainer_name: 'Ada' },
    ]);
    await result('channel.software.setDetails', { channelLabel: 'child', details: { gpg_check: true } });
    expect(await admin('channel.software.getDetails', 'child')).toMatchObject({ gpg_check: true });
    expect(await refusal('channel.software.setDetails', { channelLabel: 'child', details: { colour: 'red' } })).toContain('colour');
    expect(await refusal('channel.software.setDetails', { channelLabel: 'child', details: { checksum_label: 'md0' } })).toContain('md0');
    expect(await refusal('channel.software.delete', { channelLabel: 'base' })).toContain('base');
    expect(await faultOf(admin('channel.software.create', 'base', 'B', 'B', 'channel-x86_64', ''))).toMatchObject({ code: -211 });
    for (const channelLabel of ['child', 'base']) await result('channel.software.delete', { channelLabel });
    expect(await result('channel.listMyChannels')).toEqual([]);
  });

  it('has repositories, with the keys of their connections and the channels that use them', async () => {
    await channel('base', '');
    for (const description of ['ca', 'client'])
      await result('kickstart.keys.create', { description, type: 'SSL', content: `-- ${description} --\n` });
    const urls = ['https://mirror.acme.test/updates', 'https://mirror.acme.test/tools'] as const;
    expect(await result('channel.software.createRepo', { label: 'updates', type: 'yum', url: urls[0] })).toMatchObject({
      ...{ label: 'updates', sourceUrl: urls[0], type: 'yum', hasSignedMetadata: true, sslContentSources: [] },
    });
    const ssl = { sslCaCert: 'ca', sslCliCert: 'client', sslCliKey: '' };
    const tools = { label: 'tools', type: 'deb', url: urls[0], ...ssl, hasSignedMetadata: false };
    await result('channel.software.createRepo', tools);
    expect(await refusal('channel.software.createRepo', { ...tools, type: 'yum', label: 'third' })).toContain(urls[0]);
    expect(await refusal('channel.software.createRepo', { ...tools, url: urls[1] })).toContain('tools');
    await result('channel.software.updateRepoUrl', { label: 'tools', url: urls[1] });
    const details = await result('channel.software.getRepoDetails', { repoLabel: 'tools' });
    expect(details).toMatchObject({
      ...{ type: 'deb', sourceUrl: urls[1], hasSignedMetadata: false },
      sslContentSources: [{ sslCaDesc: 'ca', sslCertDesc: 'client', sslKeyDesc: '' }],
    });
    expect(await result('channel.software.listUserRepos')).toMatchObject([{ label: 'tools' }, { label: 'updates', sourceUrl: urls[0] }]);
    const pair = { channelLabel: 'base', repoLabel: 'tools' };
    expect(await result('channel.software.associateRepo', pair)).toMatchObject({ label: 'base', contentSources: [{ label: 'tools' }] });
    expect(await result('channel.software.listChannelRepos', { channelLabel: 'base' })).toEqual([details]);
    expect(await result('channel.software.disassociateRepo', pair)).toMatchObject({ contentSources: [] });
    for (const label of ['tools', 'updates']) await result('channel.software.removeRepo', { label });
    expect(await refusal('channel.software.getRepoDetails', { repoLabel: 'tools' })).toContain('tools');
    await result('channel.software.delete', { channelLabel: 'base' });
    for (const description of ['ca', 'client']) await result('kickstart.keys.delete', { description });
  });

  it('has configuration channels with files, folders and links', async () => {
    const made = await result('configchannel.create', { label: 'motd', name: 'Message', description: 'Of the day' });
    expect(made).toMatchObject({ label: 'motd', orgId: 1, configChannelType: { label: 'normal' } });
    const info = { contents: 'Hello {| host |}\n', owner: 'ada', group: 'wheel', permissions: '640', selinux_ctx: 'etc_t' };
    const put = (path: string, isDir: boolean, pathInfo: object) =>
      result('configchannel.createOrUpdatePath', { label: 'motd', path, isDir, pathInfo });
    await put('/etc/motd', false, { ...info, 'macro-start-delimiter': '[[', 'macro-end-delimiter': ']]' });
    await put('/etc/motd.d', true, { owner: 'root', group: 'root', permissions: '750' });
    const bytes = Buffer.from([0, 255, 1]).toString('base64');
    await put('/etc/logo', false, { ...info, contents: bytes, contents_enc64: true, binary: true });
    const link = { label: 'motd', path: '/etc/link', pathInfo: { target_path: '/etc/motd' } };
    await result('configchannel.createOrUpdateSymlink', link);
    const types = ['file', 'symlink', 'file', 'directory'];
    expect(((await result('configchannel.listFiles', { label: 'motd' })) as { type: string }[]).map(({ type }) => type).sort()).toEqual(
      types.toSorted(),
    );
    expect(await file('motd', '/etc/motd')).toMatchObject({
      ...{ type: 'file', path: '/etc/motd', channel: 'Message', contents: info.contents, contents_enc64: false, binary: false },
      ...{ owner: 'ada', group: 'wheel', permissions: 640, permissions_mode: '640', selinux_ctx: 'etc_t', revision: 1 },
      ...{ 'macro-start-delimiter': '[[', 'macro-end-delimiter': ']]', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(await file('motd', '/etc/logo')).toMatchObject({ contents: bytes, contents_enc64: true, binary: true });
    expect(await file('motd', '/etc/motd.d')).toMatchObject({ type: 'directory', permissions: 750 });
    const asLink = await file('motd', '/etc/link');
    expect(asLink).toMatchObject({ type: 'symlink', target_path: '/etc/motd' });
    expect(asLink).not.toHaveProperty('owner');
    const words = { contents: Buffer.from('Zürich').toString('base64'), contents_enc64: true };
    expect(await put('/etc/motd', false, words)).toMatchObject({ contents: 'Zürich', contents_enc64: false, revision: 2 });
    expect(await result('configchannel.lookupFileInfo', { label: 'motd', path: '/etc/motd', revision: 1 })).toMatchObject({ revision: 1 });
    await result('configchannel.update', { label: 'motd', name: 'Other', description: '' });
    expect(await result('configchannel.getDetails', { label: 'motd' })).toMatchObject({ name: 'Other', description: '' });
    await result('configchannel.deleteFiles', { label: 'motd', paths: ['/etc/motd', '/etc/logo'] });
    expect(await refusal('configchannel.lookupFileInfo', { label: 'motd', paths: ['/etc/motd'] })).toContain('No such');
    await result('configchannel.deleteChannels', { labels: ['motd'] });
    expect(await faultOf(admin('configchannel.getDetails', 'motd'))).toMatchObject({ code: -210 });
  });

  it('has channels of states with a first state, which only its own method changes', async () => {
    const state = { label: 'vim', name: 'Vim', description: '', type: 'state' };
    await result('configchannel.create', { ...state, pathInfo: { contents: 'vim: pkg.installed\n' } });
    await result('configchannel.create', { ...state, label: 'later' });
    expect(await refusal('configchannel.create', { ...state, type: 'normal' })).toContain('vim');
    expect(await result('configchannel.listGlobals')).toMatchObject([
      { label: 'later' },
      { label: 'vim', configChannelType: { label: 'state', name: 'State' } },
    ]);
    expect(await file('vim', '/init.sls')).toMatchObject({ type: 'sls', contents: 'vim: pkg.installed\n', permissions: 644 });
    await result('configchannel.updateInitSls', { label: 'later', pathInfo: { contents: 'a: pkg.installed\n' } });
    expect(await file('later', '/init.sls')).toMatchObject({ contents: 'a: pkg.installed\n', revision: 2 });
    const path = { label: 'vim', path: '/init.sls', isDir: false, pathInfo: { contents: '' } };
    expect(await refusal('configchannel.createOrUpdatePath', path)).toContain('updateInitSls');
    const link = { label: 'vim', path: '/a', pathInfo: { target_path: '/b' } };
    expect(await refusal('configchannel.createOrUpdateSymlink', link)).toContain('links');
    await result('configchannel.deleteChannels', { labels: ['vim', 'later'] });
  });

  it('has keys of GPG and SSL, keys of custom values, and groups', async () => {
    const key = { description: 'acme', type: 'GPG', content: 'of\ntwo lines' };
    await result('kickstart.keys.create', key);
    expect(await refusal('kickstart.keys.create', key)).toContain('acme');
    await result('kickstart.keys.update', { ...key, type: 'SSL', content: 'Zürich' });
    expect(await result('kickstart.keys.listAllKeys')).toEqual([{ description: 'acme', type: 'SSL' }]);
    expect(await result('kickstart.keys.getDetails', { description: 'acme' })).toEqual({ ...key, type: 'SSL', content: 'Zürich' });
    await result('kickstart.keys.delete', { description: 'acme' });
    expect(await refusal('kickstart.keys.delete', { description: 'acme' })).toContain('acme');
    await result('system.custominfo.createKey', { keyLabel: 'owner', keyDescription: 'Who' });
    await result('system.custominfo.updateKey', { keyLabel: 'owner', keyDescription: 'Whose' });
    expect(await result('system.custominfo.listAllKeys')).toMatchObject([{ label: 'owner', description: 'Whose', system_count: 0 }]);
    await result('system.custominfo.deleteKey', { keyLabel: 'owner' });
    expect(await refusal('system.custominfo.updateKey', { keyLabel: 'owner', keyDescription: '' })).toContain('owner');
    await result('systemgroup.create', { name: 'web', description: 'Web' });
    expect(await refusal('systemgroup.create', { name: 'web', description: '' })).toContain('web');
    await result('systemgroup.update', { systemGroupName: 'web', description: 'The web' });
    expect(await result('systemgroup.listAllGroups')).toMatchObject([{ name: 'web', description: 'The web', system_count: 0 }]);
    await result('systemgroup.delete', { systemGroupName: 'web' });
    expect(await result('systemgroup.listAllGroups')).toEqual([]);
  });

  it('is changed by who has the role for it', async () => {
    await admin('user.create', 'reader', 'secret', 'Re', 'Ader', 'reader@acme.test');
    const reader = await logIn(server.url, { login: 'reader', password: 'secret' });
    const codes = [
      await faultOf(reader('channel.software.createRepo', 'a', 'yum', 'https://a')),
      await faultOf(reader('configchannel.create', 'a', 'A', '')),
      await faultOf(reader('activationkey.create', 'a', '', '', [], false)),
      await faultOf(reader('contentmanagement.createProject', 'a', 'A', '')),
      await faultOf(reader('maintenance.createCalendar', 'a', '')),
      await faultOf(reader('kickstart.keys.create', 'a', 'GPG', 'a')),
    ].map(({ code }) => code);
    expect(codes).toEqual([-23, -23, -23, -23, -23, -23]);
  });
});
