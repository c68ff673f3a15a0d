import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderAt } from '../../../../../lib/machine/folder.ts';
import { drivenBy, driverFor } from '../../../../../programs/client/drivers/choose.ts';
import { aMinionHost, aMinionOf, type MinionHost, suseManagerConf } from '../../../../support/a-minion-host.ts';
import { aProgram } from '../../../../support/program.ts';
import { node1, node2 } from '../told.ts';

let host: MinionHost;
beforeEach(() => {
  host = aMinionOf('venv-salt-minion');
});
afterEach(() => host.remove());

const withHost = () => ({ root: host.root, systemctl: host.systemctl });

describe('what is driven', () => {
  it('is nothing unless somebody says so, and a command where one is given', () => {
    expect([drivenBy({}), drivenBy({ drive: 'x' }), drivenBy({ driver: 'command', drive: 'x' })]).toEqual([
      { by: 'nothing' },
      { by: 'command', line: 'x' },
      { by: 'command', line: 'x' },
    ]);
  });

  it.each(['salt-minion', 'venv-salt-minion', 'traditional'] as const)('is %s where that was said, installed or not', (driver) => {
    expect(drivenBy({ driver, ...withHost() })).toMatchObject({ by: 'services', kind: { name: driver } });
  });

  it('is found out where one thing is installed', () => {
    expect(drivenBy({ driver: 'auto', ...withHost() })).toMatchObject({ kind: { name: 'venv-salt-minion' } });
  });

  it('is not guessed where two are installed, or none', () => {
    host.put('etc/systemd/system/salt-minion.service', '');
    expect(() => drivenBy({ driver: 'auto', ...withHost() })).toThrow('salt-minion and venv-salt-minion are installed');

    host.remove();
    host = aMinionHost();
    expect(() => drivenBy({ driver: 'auto', ...withHost() })).toThrow('nothing that --driver auto knows');
  });

  it.each([
    [{ driver: 'command' }, 'needs --drive'],
    [{ driver: 'auto', drive: 'x' }, 'give one of them'],
    [{ driver: 'salt-minion', root: '/srv/image' }, 'needs --systemctl'],
  ] as const)('is refused for %j', (given, why) => {
    expect(() => drivenBy(given)).toThrow(why);
  });
});

describe('a dry run', () => {
  it('says what it would do, does nothing, and confirms nothing', async () => {
    const said: string[] = [];
    const given = { driver: 'auto', dryRun: true, ...withHost() } as const;
    const world = { folder: folderAt(host.home), pause: async () => {}, say: (line: string) => void said.push(line) };
    const driver = driverFor(drivenBy(given), given, world);

    expect([await driver.start(node2), await driver.start(node1)]).toEqual([
      { ok: false, why: 'a dry run does nothing' },
      { ok: false, why: 'a dry run does nothing' },
    ]);

    expect(said).toEqual([
      'dry run, would do: stop venv-salt-minion.service',
      `dry run, would do: write etc/venv-salt-minion/minion.d/susemanager.conf for ${node2}`,
      'dry run, would do: remove etc/venv-salt-minion/pki/minion/minion_master.pub',
      'dry run, would do: start venv-salt-minion.service',
      'dry run, would do: nothing',
    ]);
    expect([host.calls(), host.read('etc/venv-salt-minion/minion.d/susemanager.conf')]).toEqual([[], suseManagerConf(node1)]);
  });

  it('of a command names it', async () => {
    const said: string[] = [];
    const given = { drive: '/bin/false', dryRun: true } as const;
    const world = { folder: folderAt(host.home), pause: async () => {}, say: (line: string) => void said.push(line) };

    await driverFor(drivenBy(given), given, world).stop();
    expect(said).toEqual(['dry run, would do: run /bin/false stop']);
  });
});

describe('a program that is asked to end', () => {
  it('waits for the run that is under way', async () => {
    const given = { driver: 'auto', ...withHost() } as const;
    const release = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    const pause = () => {
      waits.resolve();
      return release.promise;
    };
    const driver = driverFor(drivenBy(given), given, { folder: folderAt(host.home), pause, say: () => {} });
    let isIdle = false;
    const run = driver.start(node2);
    const idle = driver.idle().then(() => {
      isIdle = true;
    });

    await waits.promise;
    expect(isIdle).toBe(false);
    release.resolve();
    await idle;
    expect(await run).toEqual({ ok: true });
  });
});

describe('muster-client drive', () => {
  const drive = async (...args: string[]) => {
    const program = aProgram('programs/client/main.ts', [
      'drive',
      ...args,
      '--home',
      host.home,
      '--root',
      host.root,
      '--systemctl',
      host.systemctl,
    ]);
    return [await program.ended, program.said()] as const;
  };

  it('drives once: a dry run, then in earnest, then stops', async () => {
    expect(await drive('start', node2, '--driver', 'auto', '--dry-run')).toEqual([0, expect.stringContaining('would do: stop venv-salt')]);
    expect(host.calls()).toEqual([]);

    expect(await drive('start', node2, '--driver', 'auto')).toEqual([0, expect.stringContaining(`venv-salt-minion works for ${node2}`)]);
    expect(await drive('stop', '--driver', 'auto')).toEqual([0, 'muster-client: stop venv-salt-minion.service\n']);
    expect([host.read('etc/venv-salt-minion/minion.d/susemanager.conf'), host.state('venv-salt-minion.service')]).toEqual([
      suseManagerConf(node2),
      'inactive',
    ]);
  });

  it('ends with 74 when the machine cannot be driven, and with 2 when nothing was said to drive', async () => {
    host.goesWrong('start', 'venv-salt-minion.service', 'fails');
    expect(await drive('start', node2, '--driver', 'auto')).toEqual([74, expect.stringContaining('undoing')]);
    expect(await drive('stop')).toEqual([2, expect.stringContaining('nothing is driven')]);
  });
});
