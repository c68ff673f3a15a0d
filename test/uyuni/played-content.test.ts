import { afterAll, beforeAll, expect, it } from 'vitest';
import { methods as documented } from '../../lib/uyuni/api/methods.ts';
import { methods as played } from '../../tools/support/uyuni/api/methods.ts';
import { administrator, type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { faultOf, logIn } from '../support/uyuni-api.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

type Answer = { readonly success: boolean; readonly result?: unknown; readonly message?: string };

const ical = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n';
const notThere = 'No such';

describeWithPostgres('the common content of a played Uyuni server', () => {
  let server: PlayedServer;
  let admin: Awaited<ReturnType<typeof logIn>>;
  let cookie = '';

  /** Calls a method by JSON: what only reads by GET, as its documentation says. */
  async function call(method: string, values: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const path = `${server.url}/rhn/manager/api/${method.replaceAll('.', '/')}`;
    const isGet = documented.get(method)?.some(({ reads }) => reads) ?? false;
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) for (const one of [value].flat()) query.append(name, String(one));
    const answer = isGet
      ? await fetch(`${path}?${query}`, { headers: { cookie } })
      : await fetch(path, { method: 'POST', headers: { cookie }, body: JSON.stringify(values) });
    return (await answer.json()) as Answer;
  }
  const result = async (method: string, values: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
    const { success, result: answered, message } = await call(method, values);
    if (!success) throw new Error(`${method}: ${message}`);
    return answered;
  };
  const refusal = async (method: string, values: Readonly<Record<string, unknown>>): Promise<string> => {
    const { success, message = '' } = await call(method, values);
    expect([method, success]).toEqual([method, false]);
    return message;
  };
  const idIn = (answered: unknown): number => (answered as { id: number }).id;
  const file = async (label: string, path: string): Promise<unknown> =>
    ((await result('configchannel.lookupFileInfo', { label, paths: [path] })) as unknown[])[0];
  const channel = (label: string, parentLabel: string, more: object = {}) =>
    result('channel.software.create', {
      ...{ label, name: `The ${label}`, summary: label, archLabel: 'channel-x86_64', parentLabel, checksumType: 'sha512' },
      ...{ gpgKey: { url: 'https://mirror.acme.test/key', id: '1A2B3C4D', fingerprint: '00 11' }, ...more },
    });

  beforeAll(async () => {
    server = await startServer({ fqdn: 'content.acme.test' });
    admin = await logIn(server.url);
    const login = await fetch(`${server.url}/rhn/manager/api/auth/login`, { method: 'POST', body: JSON.stringify(administrator) });
    cookie = login.headers.get('set-cookie')!.split(';')[0]!;
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
    expect(await refusal('configchannel.lookupFileInfo', { label: 'motd', paths: ['/etc/motd'] })).toContain(notThere);
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

  it('has activation keys with what they give to a system', async () => {
    for (const [label, parent] of [
      ['base', ''],
      ['child', 'base'],
      ['other', ''],
      ['stranger', 'other'],
    ] as const)
      await channel(label, parent);
    for (const label of ['first', 'second']) await result('configchannel.create', { label, name: label, description: '' });
    const group = idIn(await result('systemgroup.create', { name: 'web', description: '' }));
    const given = { key: 'web', description: 'Web', baseChannelLabel: 'base', entitlements: ['monitoring_entitled'] };
    expect(await result('activationkey.create', { ...given, usageLimit: 20, universalDefault: true })).toBe('1-web');
    expect(await faultOf(admin('activationkey.create', 'web', '', '', [], false))).toMatchObject({ code: 1090 });
    expect(await refusal('activationkey.create', { ...given, key: '', universalDefault: false })).toContain('key');
    const key = '1-web';
    await result('activationkey.addChildChannels', { key, childChannelLabels: ['child'] });
    expect(await refusal('activationkey.addChildChannels', { key, childChannelLabels: ['stranger'] })).toContain('stranger');
    await result('activationkey.addPackages', { key, packages: [{ name: 'vim' }, { name: 'bash', arch: 'x86_64' }] });
    await result('activationkey.addServerGroups', { key, serverGroupIds: [group] });
    await result('activationkey.addEntitlements', { key, entitlements: ['container_build_host'] });
    await result('activationkey.setConfigChannels', { keys: [key], configChannelLabels: ['second', 'first'] });
    await result('activationkey.enableConfigDeployment', { key });
    expect(await result('activationkey.listActivationKeys')).toEqual([
      {
        ...{ key, description: 'Web', usage_limit: 20, base_channel_label: 'base', child_channel_labels: ['child'] },
        ...{ entitlements: ['container_build_host', 'monitoring_entitled'], server_group_ids: [group], package_names: ['vim', 'bash'] },
        ...{ packages: [{ name: 'vim' }, { name: 'bash', arch: 'x86_64' }], universal_default: true, disabled: false },
        contact_method: 'default',
      },
    ]);
    expect(await result('activationkey.listConfigChannels', { key })).toMatchObject([{ label: 'second' }, { label: 'first' }]);
    expect(await result('activationkey.checkConfigDeployment', { key })).toBe(1);
    await result('activationkey.disableConfigDeployment', { key });
    expect(await result('activationkey.checkConfigDeployment', { key })).toBe(0);
    await result('activationkey.removeChildChannels', { key, childChannelLabels: ['child'] });
    await result('activationkey.removePackages', { key, packages: [{ name: 'vim' }, { name: 'bash', arch: 'x86_64' }] });
    await result('activationkey.removeServerGroups', { key, serverGroupIds: [group] });
    await result('activationkey.removeEntitlements', { key, entitlements: ['monitoring_entitled', 'container_build_host'] });
    await result('activationkey.setDetails', {
      key,
      details: {
        base_channel_label: '',
        unlimited_usage_limit: true,
        universal_default: false,
        disabled: true,
        contact_method: 'ssh-push',
      },
    });
    expect(await admin('activationkey.getDetails', key)).toEqual({
      ...{ key, description: 'Web', usage_limit: 0, base_channel_label: 'none', child_channel_labels: [], entitlements: [] },
      ...{ server_group_ids: [], packages: [], package_names: [], universal_default: false, disabled: true, contact_method: 'ssh-push' },
    });
    await result('activationkey.delete', { key });
    expect(await faultOf(admin('activationkey.getDetails', key))).toMatchObject({ code: 10001 });
    await result('systemgroup.delete', { systemGroupName: 'web' });
    await result('configchannel.deleteChannels', { labels: ['first', 'second'] });
    for (const channelLabel of ['child', 'base', 'stranger', 'other']) await result('channel.software.delete', { channelLabel });
  });

  it('has content projects with sources, filters and environments in their order', async () => {
    for (const label of ['one', 'two', 'three']) await channel(label, '');
    const of = { projectLabel: 'lifecycle' };
    const project = { ...of, name: 'Lifecycle', description: '' };
    expect(await result('contentmanagement.createProject', project)).not.toHaveProperty('firstEnvironment');
    expect(await faultOf(admin('contentmanagement.createProject', 'lifecycle', 'A', ''))).toMatchObject({ code: 10100 });
    const source = (sourceLabel: string) => ({ ...of, sourceType: 'software', sourceLabel });
    for (const label of ['one', 'two']) await result('contentmanagement.attachSource', source(label));
    await result('contentmanagement.attachSource', { ...source('three'), sourcePosition: 1 });
    await result('contentmanagement.detachSource', source('two'));
    const shown = { contentProjectLabel: 'lifecycle', type: 'software' };
    expect(await result('contentmanagement.listProjectSources', of)).toEqual([
      { ...shown, state: 'ATTACHED', channelLabel: 'one' },
      { ...shown, state: 'ATTACHED', channelLabel: 'three' },
    ]);
    await server.database.rows(`UPDATE susecontentprojectsource SET state = 'BUILT'`);
    await result('contentmanagement.detachSource', source('one'));
    expect(await result('contentmanagement.listProjectSources', of)).toMatchObject([{ state: 'DETACHED' }, { state: 'BUILT' }]);
    const environment = { ...of, name: 'E', description: '' };
    for (const [predecessorLabel, envLabel] of [
      ['', 'test'],
      ['test', 'prod'],
      ['test', 'stage'],
      ['', 'dev'],
    ])
      await result('contentmanagement.createEnvironment', { ...environment, name: `The ${envLabel}`, predecessorLabel, envLabel });
    await result('contentmanagement.removeEnvironment', { ...of, envLabel: 'stage' });
    await result('contentmanagement.updateEnvironment', { ...of, envLabel: 'prod', props: { description: 'Last' } });
    const environments = await result('contentmanagement.listProjectEnvironments', of);
    expect(environments).toMatchObject([
      { label: 'dev', nextEnvironmentLabel: 'test', contentProjectLabel: 'lifecycle', version: 0 },
      { label: 'test', previousEnvironmentLabel: 'dev', nextEnvironmentLabel: 'prod' },
      { label: 'prod', name: 'The prod', description: 'Last', previousEnvironmentLabel: 'test' },
    ]);
    expect((environments as unknown[])[2]).not.toHaveProperty('nextEnvironmentLabel');
    await result('contentmanagement.updateProject', { ...of, props: { name: 'Renamed' } });
    expect(await result('contentmanagement.lookupProject', of)).toMatchObject({ name: 'Renamed', firstEnvironment: 'dev', orgId: 1 });
    await result('contentmanagement.removeProject', of);
    expect(await faultOf(admin('contentmanagement.lookupProject', 'lifecycle'))).toMatchObject({ code: 10101 });
    for (const channelLabel of ['one', 'two', 'three']) await result('channel.software.delete', { channelLabel });
  });

  it('has filters, which projects attach, and which stay as long as a project has them', async () => {
    const of = { projectLabel: 'filtered' };
    await result('contentmanagement.createProject', { ...of, name: 'Filtered', description: '' });
    const criteria = { matcher: 'contains', field: 'name', value: 'kernel' };
    const given = { name: 'no kernels', rule: 'deny', entityType: 'package', criteria };
    const made = await result('contentmanagement.createFilter', given);
    expect(made).toEqual({ id: idIn(made), orgId: 1, ...given });
    expect(await refusal('contentmanagement.createFilter', given)).toContain('no kernels');
    expect(await refusal('contentmanagement.createFilter', { ...given, name: 'x', rule: 'perhaps' })).toContain('perhaps');
    const filterId = idIn(made);
    await result('contentmanagement.attachFilter', { ...of, filterId });
    expect(await result('contentmanagement.listProjectFilters', of)).toEqual([{ state: 'ATTACHED', filter: made }]);
    expect(await refusal('contentmanagement.removeFilter', { filterId })).toContain('used');
    await result('contentmanagement.detachFilter', { ...of, filterId });
    expect(await result('contentmanagement.listProjectFilters', of)).toEqual([]);
    const { name, rule } = { name: 'only kernels', rule: 'allow' };
    await result('contentmanagement.updateFilter', { filterId, name, rule, criteria });
    expect(await result('contentmanagement.listFilters')).toMatchObject([{ name, rule, entityType: 'package', criteria }]);
    await result('contentmanagement.removeFilter', { filterId });
    await result('contentmanagement.removeProject', of);
    expect(await result('contentmanagement.listFilters')).toEqual([]);
  });

  it('has maintenance calendars and schedules, which are read by POST', async () => {
    expect(await result('maintenance.createCalendar', { label: 'nights', ical })).toMatchObject({ label: 'nights', orgId: 1, ical });
    await result('maintenance.createCalendarWithUrl', { label: 'shared', url: 'https://acme.test/a.ics' });
    expect(await result('maintenance.listCalendarLabels')).toEqual(['nights', 'shared']);
    expect(await result('maintenance.getCalendarDetails', { label: 'nights' })).not.toHaveProperty('url');
    expect(await admin('maintenance.getCalendarDetails', 'shared')).toMatchObject({ url: 'https://acme.test/a.ics', ical: '' });
    await result('maintenance.createSchedule', { name: 'nightly', type: 'single', calendar: 'nights' });
    await result('maintenance.createSchedule', { name: 'whenever', type: 'multi' });
    expect(await result('maintenance.listScheduleNames')).toEqual(['nightly', 'whenever']);
    expect(await result('maintenance.getScheduleDetails', { name: 'nightly' })).toMatchObject({
      ...{ name: 'nightly', type: 'single', calendar: { label: 'nights', ical } },
    });
    expect(await result('maintenance.getScheduleDetails', { name: 'whenever' })).not.toHaveProperty('calendar');
    const rescheduleStrategy = ['Fail'];
    const nothing = { strategy: '', for_schedule_name: 'nightly', status: true, message: 'Nothing to reschedule', actions: [] };
    const other = { label: 'nights', details: { ical: '' }, rescheduleStrategy };
    expect(await result('maintenance.updateCalendar', other)).toEqual([nothing]);
    const without = { name: 'nightly', details: { type: 'multi', calendar: '' }, rescheduleStrategy };
    expect(await result('maintenance.updateSchedule', without)).toEqual(nothing);
    expect(await result('maintenance.getScheduleDetails', { name: 'nightly' })).toEqual({
      ...{ id: expect.any(Number), orgId: 1, name: 'nightly', type: 'multi' },
    });
    expect(await faultOf(admin('maintenance.createSchedule', 'x', 'single', 'nowhere'))).toEqual({ code: 10101, text: 'nowhere' });
    expect(await refusal('maintenance.createSchedule', { name: 'x', type: 'sometimes' })).toContain('sometimes');
    for (const name of ['nightly', 'whenever']) await result('maintenance.deleteSchedule', { name });
    for (const label of ['nights', 'shared'])
      expect(await result('maintenance.deleteCalendar', { label, cancelScheduledActions: false })).toEqual([]);
    expect(await result('maintenance.listCalendarLabels')).toEqual([]);
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
      await faultOf(reader('maintenance.createCalendar', 'a', ical)),
      await faultOf(reader('kickstart.keys.create', 'a', 'GPG', 'a')),
    ].map(({ code }) => code);
    expect(codes).toEqual([-23, -23, -23, -23, -23, -23]);
  });
});
