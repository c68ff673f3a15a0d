import type { Value } from '../../../lib/uyuni/xml-rpc/value.ts';

/** Calls a method of a server, as a person who may do everything. */
export type Calls = (method: string, ...params: readonly Value[]) => Promise<unknown>;

const ical = [
  ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Acme//EN', 'BEGIN:VEVENT', 'UID:1', 'SUMMARY:nightly'],
  ...['DTSTART:20260101T010000Z', 'DTEND:20260101T030000Z', 'RRULE:FREQ=DAILY', 'END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n');
const pem = '-----BEGIN CERTIFICATE-----\nplayed\n-----END CERTIFICATE-----\n';

/** Makes common content of every kind that is copied, with texts that are hard to carry. */
export async function makeContent(call: Calls): Promise<void> {
  for (const name of ['web', 'database', 'Zürich & “Basel” <1>']) await call('systemgroup.create', name, `Systems of the ${name}`);
  for (const label of ['owner', 'cost-centre']) await call('system.custominfo.createKey', label, `The ${label}`);
  await call('kickstart.keys.create', 'acme', 'GPG', 'a key\nof two lines\n');
  await call('kickstart.keys.create', 'acme-ca', 'SSL', pem);
  await call('kickstart.keys.create', 'RHN-ORG-TRUSTED-SSL-CERT', 'SSL', 'that of the first server');
  await makeChannels(call);
  await makeConfiguration(call);
  await makeActivationKeys(call);
  await makeProjects(call);
  await call('maintenance.createCalendar', 'nights', ical);
  await call('maintenance.createCalendarWithUrl', 'shared', 'https://calendar.acme.test/shared.ics');
  await call('maintenance.createSchedule', 'nightly', 'single', 'nights');
  await call('maintenance.createSchedule', 'whenever', 'multi');
}

async function makeChannels(call: Calls): Promise<void> {
  await call('channel.software.createRepo', 'acme-updates-repo', 'yum', 'https://mirror.acme.test/updates');
  await call('channel.software.createRepo', 'Acme #2, "tools"', 'yum', 'https://mirror.acme.test/tools');
  await call('channel.software.createRepo', 'acme-deb-repo', 'deb', 'https://mirror.acme.test/deb', 'acme-ca', '', '', false);
  const gpg = { url: 'https://mirror.acme.test/key', id: '1A2B3C4D', fingerprint: '00 11 22' };
  await call('channel.software.create', 'acme-base', 'Acme base', 'Base', 'channel-x86_64', '', 'sha512', gpg);
  for (const part of ['updates', 'tools'])
    await call('channel.software.create', `acme-${part}`, `Acme ${part}`, part, 'channel-x86_64', 'acme-base', 'sha256', {});
  // Its name comes before that of its parent.
  await call('channel.software.create', 'aaa-child', 'Acme child', 'Child', 'channel-x86_64', 'acme-base', 'sha256', {});
  await call('channel.software.setDetails', 'acme-base', {
    ...{ description: 'Lines\nand “quotes”', maintainer_name: 'Ada', maintainer_email: 'ada@acme.test', maintainer_phone: '+41' },
  });
  await call('channel.software.associateRepo', 'acme-updates', 'acme-updates-repo');
}

async function makeConfiguration(call: Calls): Promise<void> {
  await call('configchannel.create', 'motd', 'Message of the day', 'Files', 'normal');
  const owned = { owner: 'root', group: 'wheel', permissions: '640', selinux_ctx: 'system_u:object_r:etc_t:s0' };
  await call('configchannel.createOrUpdatePath', 'motd', '/etc/motd', false, {
    ...{
      ...owned,
      contents: 'Welcome to {| rhn.system.hostname |} & <more>\n\ttab\n',
      'macro-start-delimiter': '[[',
      'macro-end-delimiter': ']]',
    },
  });
  await call('configchannel.createOrUpdatePath', 'motd', '/etc/logo.bin', false, {
    ...{ ...owned, contents: Buffer.from([0, 1, 2, 250, 255]).toString('base64'), contents_enc64: true, binary: true },
  });
  await call('configchannel.createOrUpdatePath', 'motd', '/etc/null #1', false, { ...owned, contents: 'odd name', binary: false });
  await call('configchannel.createOrUpdatePath', 'motd', '/etc/text.bin', false, {
    ...{ ...owned, contents: Buffer.from('text, and yet binary').toString('base64'), contents_enc64: true, binary: true },
  });
  await call('configchannel.createOrUpdatePath', 'motd', '/etc/acme.d', true, { ...owned, permissions: '750' });
  await call('configchannel.createOrUpdateSymlink', 'motd', '/etc/motd.link', { target_path: '/etc/motd', selinux_ctx: '' });
  await call('configchannel.create', 'empty', 'Nothing yet', '', 'normal');
  await call('configchannel.create', 'base-state', 'Base', 'A state', 'state', {
    contents: 'vim:\n  pkg.installed\n',
    contents_enc64: false,
  });
}

async function makeActivationKeys(call: Calls): Promise<void> {
  const groups = (await call('systemgroup.listAllGroups')) as readonly { id: number; name: string }[];
  const idOf = (name: string): number => groups.find((group) => group.name === name)?.id ?? 0;
  await call('activationkey.create', 'web', 'Web servers', 'acme-base', 20, ['monitoring_entitled'], true);
  await call('activationkey.create', 'database', 'Databases', '', [], false);
  await call('activationkey.addChildChannels', '1-web', ['acme-updates', 'acme-tools']);
  await call('activationkey.addServerGroups', '1-web', [idOf('web'), idOf('Zürich & “Basel” <1>')]);
  await call('activationkey.addPackages', '1-web', [{ name: 'vim' }, { name: 'bash', arch: 'x86_64' }]);
  await call('activationkey.setConfigChannels', ['1-web'], ['motd', 'base-state']);
  await call('activationkey.disableConfigDeployment', '1-database');
  await call('activationkey.setDetails', '1-database', { disabled: true, contact_method: 'ssh-push' });
}

async function makeProjects(call: Calls): Promise<void> {
  const made = (await call('contentmanagement.createFilter', 'no kernels', 'deny', 'package', {
    ...{ matcher: 'contains', field: 'name', value: 'kernel' },
  })) as { id: number };
  const other = (await call('contentmanagement.createFilter', 'until June', 'deny', 'erratum', {
    ...{ matcher: 'greater', field: 'issue_date', value: '2026-06-01T00:00:00Z' },
  })) as { id: number };
  await call('contentmanagement.createProject', 'lifecycle', 'Lifecycle', 'From development to production');
  for (const label of ['acme-base', 'acme-updates']) await call('contentmanagement.attachSource', 'lifecycle', 'software', label);
  for (const { id } of [other, made]) await call('contentmanagement.attachFilter', 'lifecycle', id);
  await call('contentmanagement.createEnvironment', 'lifecycle', '', 'dev', 'Development', 'First');
  await call('contentmanagement.createEnvironment', 'lifecycle', 'dev', 'prod', 'Production', '');
  await call('contentmanagement.createEnvironment', 'lifecycle', 'dev', 'test', 'Test', 'Second');
  // As a build would make it.
  await call('channel.software.create', 'lifecycle-dev-acme-base', 'Built', 'Built', 'channel-x86_64', '', 'sha256', {});
}
