import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { folderAt } from '../../../../../lib/machine/folder.ts';
import { type Kind, saltMinion, traditional, venvSaltMinion } from '../../../../../programs/client/drivers/kinds.ts';
import { rootAt } from '../../../../../programs/client/drivers/root.ts';
import { type ServiceDriver, serviceDriver } from '../../../../../programs/client/drivers/service-driver.ts';
import { systemctl } from '../../../../../programs/client/drivers/services.ts';
import { aMinionHost, aMinionOf, type MinionHost, saltFolders, suseManagerConf } from '../../../../support/a-minion-host.ts';
import { aProgram } from '../../../../support/program.ts';
import { node1, node2 } from '../told.ts';

let host: MinionHost;
let said: string[];
afterEach(() => host.remove());

/** The host's driver; what it says and how long it waited is kept. */
function driverOf(kind: Kind, whenPaused = (): void => undefined): ServiceDriver {
  said = [];
  return serviceDriver(kind, {
    root: rootAt(host.root),
    folder: folderAt(host.home),
    services: systemctl(host.systemctl),
    pause: async () => whenPaused(),
    say: (line) => void said.push(line),
  });
}

const kinds = { 'salt-minion': saltMinion, 'venv-salt-minion': venvSaltMinion };
const names = ['salt-minion', 'venv-salt-minion'] as const;
const conf = (name: keyof typeof saltFolders) => `${saltFolders[name]}/minion.d/susemanager.conf`;
const key = (name: keyof typeof saltFolders) => `${saltFolders[name]}/pki/minion/minion_master.pub`;
/** A machine as it was before anything was done to it. */
const isUntouched = (name: keyof typeof saltFolders) => {
  expect(host.read(conf(name))).toBe(suseManagerConf(node1));
  expect(host.mode(conf(name))).toBe(0o640);
  expect(host.read(key(name))).toBe(`key of ${node1}\n`);
  expect(existsSync(join(host.home, 'driving.json'))).toBe(false);
};

describe.each(names)('the driver of %s', (name) => {
  it('waits for the key of a new minion, which the knock after it names', async () => {
    host = aMinionOf(name);
    const file = `${saltFolders[name]}/pki/minion/minion.pub`;
    rmSync(join(host.root, file));
    let pauses = 0;
    const makesKey = (): void => {
      pauses += 1;
      if (pauses === 20) host.put(file, 'its key');
    };
    expect(await driverOf(kinds[name], makesKey).start(node2)).toEqual({ ok: true });
    expect(pauses).toBe(20);

    rmSync(join(host.root, file));
    expect(await driverOf(kinds[name]).start(node1)).toEqual({ ok: true });
    expect(said).toContain(`there is no ${file}: the node cannot know the minion's key until this machine knocks again`);
  });

  it.each([
    ['active', { ok: true }],
    ['activating', { ok: true }],
    ['deactivating', { ok: true }],
    ['inactive', { ok: false, why: `${name}.service is inactive` }],
    ['failed', { ok: false, why: `${name}.service is failed` }],
    ['nonsense', undefined],
  ])('sees whether a minion that is %s is still up', async (state, up) => {
    host = aMinionOf(name);
    host.setState(`${name}.service`, state);
    expect(await driverOf(kinds[name]).isUp!()).toEqual(up);
    expect(host.calls()).toEqual([]);
  });

  it('points the minion at the node: the file, the key of the master before, and the service', async () => {
    host = aMinionOf(name);

    expect(await driverOf(kinds[name]).start(node2)).toEqual({ ok: true });

    expect(host.read(conf(name))).toBe(suseManagerConf(node2));
    expect(host.mode(conf(name))).toBe(0o640);
    expect(host.read(key(name))).toBe(`key of ${node2}\n`);
    expect(host.calls()).toEqual([`stop ${name}.service`, `start ${name}.service`]);
    expect(said).toEqual([
      `stop ${name}.service`,
      `write ${conf(name)} for ${node2}`,
      `remove ${key(name)}`,
      `start ${name}.service`,
      `${name} works for ${node2}`,
    ]);
    expect(readdirSync(dirname(join(host.root, conf(name))))).toEqual(['susemanager.conf']);
  });

  it('does nothing when the minion works for that node already', async () => {
    host = aMinionOf(name);
    const driver = driverOf(kinds[name]);

    expect(await driver.start(node1)).toEqual({ ok: true });

    expect([host.calls(), said]).toEqual([[], [`${name} already works for ${node1}`]]);
    isUntouched(name);
  });

  it('stops, and may be asked to again', async () => {
    host = aMinionOf(name);
    const driver = driverOf(kinds[name]);

    expect([await driver.stop(), await driver.stop()]).toEqual([{ ok: true }, { ok: true }]);

    expect([host.calls(), host.state(`${name}.service`)]).toEqual([[`stop ${name}.service`], 'inactive']);
    isUntouched(name);
  });

  it('comes up for a node of the same name with another key: it was replaced', async () => {
    host = aMinionOf(name);
    host.put(key(name), 'key of the machine before\n');
    const driver = driverOf(kinds[name]);

    await driver.stop();
    expect(await driver.start(node1)).toEqual({ ok: true });

    isUntouched(name);
  });

  it.each(['stop', 'start'] as const)('undoes what it has done when systemctl fails at %s, and can be asked again', async (verb) => {
    host = aMinionOf(name);
    host.goesWrong(verb, `${name}.service`, 'fails');
    const driver = driverOf(kinds[name]);

    const failed = await driver.start(node2);

    expect(failed).toMatchObject({ ok: false, why: expect.stringContaining(`Job for ${name}.service failed`) });
    expect(host.read(conf(name))).toBe(suseManagerConf(node1));
    host.mend();
    expect(await driver.start(node2)).toEqual({ ok: true });
    expect([host.read(conf(name)), host.state(`${name}.service`)]).toEqual([suseManagerConf(node2), 'active']);
  });

  it('leaves a minion stopped that was stopped before', async () => {
    host = aMinionOf(name);
    host.setState(`${name}.service`, 'inactive');
    host.goesWrong('start', `${name}.service`, 'fails');

    expect((await driverOf(kinds[name]).start(node2)).ok).toBe(false);

    isUntouched(name);
    expect(host.state(`${name}.service`)).toBe('inactive');
  });

  it('says what it would do, and does nothing', async () => {
    host = aMinionOf(name);
    const driver = driverOf(kinds[name]);

    expect([await driver.wouldDo(node2), await driver.wouldDo(undefined)]).toEqual([
      [`stop ${name}.service`, `write ${conf(name)} for ${node2}`, `remove ${key(name)}`, `start ${name}.service`],
      [`stop ${name}.service`],
    ]);
    expect(host.calls()).toEqual([]);
    isUntouched(name);
  });
});

describe('a driver that is killed half-way', () => {
  const drive = async (name: (typeof names)[number], n: number) =>
    aProgram('test/unit/programs/client/drivers/drive-once.ts', [name, host.root, host.home, host.systemctl, node2, String(n)]).ended;

  it.each([1, 2, 3, 4, 5])('at its line %i is undone by the next one, which then succeeds', async (n) => {
    host = aMinionOf('salt-minion');

    expect(await drive('salt-minion', n)).toBe('SIGKILL');
    const driver = driverOf(saltMinion);
    expect(await driver.recover()).toEqual({ ok: true });

    isUntouched('salt-minion');
    expect(host.state('salt-minion.service')).toBe('active');
    expect(said[0]).toBe('a run was cut off: undoing its changes');
    expect(await driver.start(node2)).toEqual({ ok: true });
    expect([host.read(conf('salt-minion')), host.state('salt-minion.service')]).toEqual([suseManagerConf(node2), 'active']);
  });

  it.each(['stop', 'start'] as const)('while systemctl was at %s is undone by the next one', async (verb) => {
    host = aMinionOf('venv-salt-minion');
    host.goesWrong(verb, 'venv-salt-minion.service', 'dies');

    expect(await drive('venv-salt-minion', 0)).toBe('SIGKILL');
    host.mend();
    expect(await driverOf(venvSaltMinion).recover()).toEqual({ ok: true });

    isUntouched('venv-salt-minion');
    expect(host.state('venv-salt-minion.service')).toBe('active');
  });

  it('is not brought up for a moment where it is to be stopped', async () => {
    host = aMinionOf('salt-minion');
    await drive('salt-minion', 4);

    expect(await driverOf(saltMinion).stop()).toEqual({ ok: true });

    isUntouched('salt-minion');
    expect([host.calls(), host.state('salt-minion.service')]).toEqual([['stop salt-minion.service'], 'inactive']);
  });

  it('leaves alone what somebody has changed since', async () => {
    host = aMinionOf('salt-minion');
    await drive('salt-minion', 4);
    host.put(conf('salt-minion'), 'master: mine\n');

    expect(await driverOf(saltMinion).recover()).toEqual({ ok: true });

    expect(host.read(conf('salt-minion'))).toBe('master: mine\n');
    expect(said).toContain('etc/salt/minion.d/susemanager.conf was changed by another program meanwhile: left as it is');
  });

  it('does nothing to a machine whose journal cannot be read', async () => {
    host = aMinionOf('salt-minion');
    mkdirSync(host.home);
    writeFileSync(join(host.home, 'driving.json'), '{');
    const driver = driverOf(saltMinion);

    for (const ran of [await driver.start(node2), await driver.stop(), await driver.recover()])
      expect(ran).toMatchObject({ ok: false, why: expect.stringContaining('driving.json is damaged') });
    expect(host.calls()).toEqual([]);
  });
});

describe('a machine that is not as expected', () => {
  it('undoes all of it, and runs the minion as before, when it does not stay up', async () => {
    host = aMinionOf('salt-minion');
    host.goesWrong('start', 'salt-minion.service', 'hangs');

    const failed = await driverOf(saltMinion).start(node2);

    expect(failed).toMatchObject({ ok: false, why: 'salt-minion.service has not come up within 120 s: it is activating' });
    isUntouched('salt-minion');
    expect(host.calls().at(-1)).toBe('start salt-minion.service');
  });

  it('without a configuration gets one for all to read', async () => {
    host = aMinionOf('salt-minion');
    rmSync(join(host.root, conf('salt-minion')));

    expect(await driverOf(saltMinion).start(node2)).toEqual({ ok: true });

    expect([host.read(conf('salt-minion')), host.mode(conf('salt-minion'))]).toEqual([`master: ${node2}\n`, 0o644]);
  });

  it('keeps the link where its configuration is one, and is left alone when it leads out of the root', async () => {
    host = aMinionOf('salt-minion');
    host.put('srv/real.conf', suseManagerConf(node1));
    const link = join(host.root, conf('salt-minion'));
    rmSync(link);
    symlinkSync('../../../srv/real.conf', link);

    expect(await driverOf(saltMinion).start(node2)).toEqual({ ok: true });
    expect(host.read('srv/real.conf')).toBe(suseManagerConf(node2));

    const outside = join(dirname(host.root), 'outside.conf');
    writeFileSync(outside, suseManagerConf(node1));
    rmSync(link);
    symlinkSync(outside, link);
    expect(await driverOf(saltMinion).start(node1)).toMatchObject({ ok: false, why: expect.stringContaining('is not in') });
  });

  it('without the minion, or with several masters, is refused before anything is done', async () => {
    host = aMinionOf('salt-minion');
    expect(await driverOf(venvSaltMinion).start(node2)).toEqual({ ok: false, why: `venv-salt-minion is not installed in ${host.root}` });

    host.put(conf('salt-minion'), 'master:\n  - a\n  - b\n');
    expect(await driverOf(saltMinion).start(node2)).toMatchObject({ ok: false, why: expect.stringContaining('its master is a list') });
    expect(host.calls()).toEqual([]);
  });

  it('without a service manager is told so', async () => {
    host = aMinionOf('salt-minion');
    rmSync(host.systemctl);

    expect(await driverOf(saltMinion).stop()).toMatchObject({ ok: false, why: expect.stringContaining('is-active salt-minion.service') });
  });

  it('is known by what runs there', async () => {
    host = aMinionOf('salt-minion');
    expect(await driverOf(saltMinion).runsFor()).toEqual({ name: node1 });

    host.setState('salt-minion.service', 'inactive');
    expect(await driverOf(saltMinion).runsFor()).toBeUndefined();
  });
});

describe('the driver of the traditional client', () => {
  const up2date = (node: string, certificate = '/usr/share/rhn/ca.pem') => `serverURL=https://${node}/XMLRPC\nsslCACert=${certificate}\n`;
  const aTraditional = () => {
    host = aMinionHost('rhnsd.timer', 'rhnsd.service', 'osad.service');
    host.put('etc/sysconfig/rhn/up2date', up2date(node1), 0o600);
    host.put('usr/share/rhn/ca.pem', 'certificate');
    host.put('etc/systemd/system/multi-user.target.wants/osad.service', '');
    host.setState('rhnsd.timer', 'active');
    host.setState('osad.service', 'active');
  };

  it('points up2date at the node, and restarts what asks and what is told', async () => {
    aTraditional();

    expect(await driverOf(traditional()).start(node2)).toEqual({ ok: true });

    expect([host.read('etc/sysconfig/rhn/up2date'), host.mode('etc/sysconfig/rhn/up2date')]).toEqual([up2date(node2), 0o600]);
    expect(host.calls()).toEqual(['stop osad.service', 'stop rhnsd.timer', 'start rhnsd.timer', 'start osad.service']);
  });

  it('leaves osad alone where it is not enabled', async () => {
    aTraditional();
    rmSync(join(host.root, 'etc/systemd/system/multi-user.target.wants/osad.service'));

    expect(await driverOf(traditional()).stop()).toEqual({ ok: true });
    expect(host.calls()).toEqual(['stop rhnsd.timer']);
  });

  it('trusts the certificate that was given, if there is one', async () => {
    aTraditional();
    expect(await driverOf(traditional('/usr/share/rhn/none.pem')).start(node2)).toMatchObject({
      ok: false,
      why: 'etc/sysconfig/rhn/up2date needs /usr/share/rhn/none.pem, which does not exist',
    });
    expect(host.calls()).toEqual([]);

    host.put('etc/ca.pem', 'another');
    expect(await driverOf(traditional('/etc/ca.pem')).start(node2)).toEqual({ ok: true });
    expect(host.read('etc/sysconfig/rhn/up2date')).toBe(up2date(node2, '/etc/ca.pem'));
  });
});
