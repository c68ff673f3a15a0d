import { describe, expect, it } from 'vitest';
import { commonWrites, judge } from '../../../../../lib/uyuni/api/common-writes.ts';
import { methods } from '../../../../../lib/uyuni/api/methods.ts';
import { contentKinds } from '../../../../../lib/uyuni/content/kinds.ts';
import { apacheFile, isOurs } from '../../../../../programs/agent/uyuni/cluster-mode/apache-file.ts';
import { locksOf, writingQuery } from '../../../../../programs/agent/uyuni/cluster-mode/locks.ts';
import { aClusterMode } from './a-cluster-mode.ts';

describe('the file of Apache', () => {
  it('sends the login page on, passes /muster/ to the agent, and shows the bar', () => {
    const text = apacheFile(aClusterMode({ locksContent: false, modules: '/usr/lib64/apache2' }));
    expect(text).toMatchSnapshot();
    expect(isOurs(text)).toBe(true);
  });

  it('locks common content where that was asked for', () => {
    expect(apacheFile(aClusterMode())).toMatchSnapshot();
  });

  it('is not taken for ours when others wrote it', () => {
    expect(isOurs('ServerName a\n')).toBe(false);
  });

  it('has no expression that begins with !, but for one condition alone: Apache would negate all of it', () => {
    const conditions = apacheFile(aClusterMode()).matchAll(/RewriteCond expr "(!.*)"/g);
    expect([...conditions].map(([, expression]) => expression)).toEqual(["! -f '/run/muster-cluster-mode/seat'"]);
  });
});

const patterns = contentKinds.map((content) => {
  const { forms, writes, calls } = locksOf(content);
  const whole = (pattern: string | undefined) => (pattern === undefined ? undefined : new RegExp(pattern));
  return { kind: content.kind, forms: whole(forms), writes: whole(writes), calls: new RegExp(calls) };
});
const writing = new RegExp(writingQuery);

type Request = { readonly path: string; readonly sends?: boolean; readonly query?: string };

/** The kinds for which a server that is locked refuses a request, as Apache decides it. */
const lockedBy = ({ path, sends = false, query = '' }: Request): readonly string[] =>
  patterns.flatMap(({ kind, forms, writes, calls }) => {
    const isWriting = sends || writing.test(query);
    return forms?.test(path) || (isWriting && writes?.test(path)) || (sends && calls.test(path)) ? [kind] : [];
  });

const pathOf = (name: string): string => `/rhn/manager/api/${name.replaceAll('.', '/')}`;

describe('what is locked', () => {
  it('is every method of the JSON interface that changes common content, and no other', () => {
    expect(commonWrites.filter((name) => lockedBy({ path: pathOf(name), sends: true }).length === 0)).toEqual([]);
    const open = [...methods.keys()].filter((name) => judge(name) === 'open' && !methods.get(name)?.every(({ reads }) => reads));
    expect(open.filter((name) => lockedBy({ path: pathOf(name), sends: true }).length > 0)).toEqual([]);
  });

  it('is no call that only reads', () => {
    expect([...methods.keys()].filter((name) => lockedBy({ path: pathOf(name) }).length > 0)).toEqual([]);
  });

  it('is a method of tomorrow beside those that change common content', () => {
    expect(lockedBy({ path: pathOf('channel.software.mirrorAnew'), sends: true })).toEqual(['channel']);
    expect(lockedBy({ path: pathOf('system.frobnicate'), sends: true })).toEqual([]);
  });

  it('is a page that only changes it, and what is sent to others', () => {
    const forms: readonly (readonly [string, string])[] = [
      ['channels/manage/Delete.do', 'channel'],
      ['channels/manage/repos/RepoCreate.do', 'channel'],
      ['errata/manage/Create.do', 'errata'],
      ['configuration/ChannelCreate.do', 'configuration'],
      ['activationkeys/Create.do', 'activation-key'],
      ['users/CreateUser.do', 'user'],
      ['admin/multiorg/OrgCreate.do', 'organisation'],
      ['groups/CreateGroup.do', 'group'],
      ['manager/contentmanagement/project', 'content-project'],
      ['manager/cm/imageprofiles/create', 'image'],
      ['kickstart/CreateProfileWizard.do', 'autoinstallation'],
      ['keys/CryptoKeyCreate.do', 'crypto-key'],
      ['systems/customdata/CreateCustomKey.do', 'custom-info'],
    ];
    for (const [path, kind] of forms) expect([path, lockedBy({ path: `/rhn/${path}` })]).toEqual([path, [kind]]);
    const writes: readonly (readonly [string, string])[] = [
      ['channels/manage/Edit.do', 'channel'],
      ['manager/api/packages/delete', 'channel'],
      ['errata/manage/Edit.do', 'errata'],
      ['configuration/file/FileDetails.do', 'configuration'],
      ['activationkeys/Edit.do', 'activation-key'],
      ['users/UserDetailsSubmit.do', 'user'],
      ['newlogin/CreateUserSubmit.do', 'user'],
      ['manager/api/contentmanagement/projects/a/build', 'content-project'],
      ['manager/api/cm/imagestores/create', 'image'],
      ['manager/api/maintenance/schedule/save', 'maintenance'],
      ['manager/api/recurringactions/17/delete', 'recurring'],
      ['kickstart/KickstartDetailsEdit.do', 'autoinstallation'],
      ['manager/api/systems/details/ansible/paths/save', 'ansible'],
      ['manager/admin/setup/products', 'server'],
    ];
    for (const [path, kind] of writes) {
      expect([path, lockedBy({ path: `/rhn/${path}`, sends: true })]).toEqual([path, [kind]]);
      expect([path, lockedBy({ path: `/rhn/${path}` })]).toEqual([path, []]);
    }
    expect(lockedBy({ path: '/rhn/channels/manage/Edit.do', query: 'cid=1&submitted=true' })).toEqual(['channel']);
    expect(lockedBy({ path: '/rhn/channels/manage/Edit.do', query: 'cid=1&unsubmitted=true' })).toEqual([]);
  });

  it('is nothing that concerns systems, or that a person needs to sign in and to look around', () => {
    const open = [
      ...['manager/login', 'manager/api/login', 'manager/api/auth/login', 'YourRhn.do', 'Logout.do'],
      ...['systems/details/Edit.do', 'systems/details/SystemChannels.do', 'systems/details/packages/InstallConfirm.do'],
      ...['channels/ConfirmTargetSystems.do', 'errata/details/ErrataConfirmSubmit.do', 'configuration/channel/DeployConfirm.do'],
      ...['groups/AddSystems.do', 'groups/ListRemoveSystems.do', 'ssm/PackageSchedule.do', 'schedule/PendingActionsDeleteConfirm.do'],
      ...['manager/api/systems/bootstrap', 'manager/api/states/apply', 'manager/api/formulas/save', 'manager/api/cm/build/7'],
      ...['manager/api/maintenance/schedule/7/assign', 'manager/api/admin/mandatoryChannels', 'manager/api/sets/system_list'],
      ...['manager/api/systems/keys/web.acme.test/accept', 'ajax/action-chain-save', 'manager/download/a/repodata/x'],
      ...['users/ActiveList.do', 'activationkeys/List.do', 'channels/ChannelPackages.do', 'kickstart/Kickstarts.do'],
    ];
    for (const path of open) expect([path, lockedBy({ path: `/rhn/${path}`, sends: true })]).toEqual([path, []]);
  });
});
