import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { faultOf, logIn } from '../support/uyuni-api.ts';
import { idIn, jsonOf, makeChannel } from '../support/uyuni-json.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

const ical = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n';

describeWithPostgres('the keys, projects and schedules of a played Uyuni server', () => {
  let server: PlayedServer;
  let admin: Awaited<ReturnType<typeof logIn>>;
  let calls: Awaited<ReturnType<typeof jsonOf>>;
  const result: typeof calls.result = (method, values) => calls.result(method, values);
  const refusal: typeof calls.refusal = (method, values) => calls.refusal(method, values);
  const channel = (label: string, parentLabel: string, more?: object) => makeChannel(calls, label, parentLabel, more);

  beforeAll(async () => {
    server = await startServer({ fqdn: 'projects.acme.test' });
    admin = await logIn(server.url);
    calls = await jsonOf(server.url);
  });
  afterAll(() => server?.stop());

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
});
