import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderAt } from '../../../../lib/machine/folder.ts';
import {
  byCommand,
  cautionOfSource,
  DayWindow,
  faultOfSource,
  releaseHookOf,
  WatchSource,
  watchingOf,
} from '../../../../programs/agent/watch-source.ts';
import { eventually } from '../../../../tools/support/host.ts';
import { aSaltMaster } from '../../../support/a-salt-master.ts';
import { aSteppedWorld } from '../../../support/stepped-world.ts';

const fp = 'ab'.repeat(32);
const node = { home: '.', kind: 'uyuni' } as const;
let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'muster-watch-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));
const env = () => ({
  folder: folderAt(path),
  world: aSteppedWorld(),
  minute: () => 0,
  say: () => {},
  node: 'node1.acme.test',
  limit: AbortSignal.timeout,
});

describe('where an agent learns who is here', () => {
  it('is a file, read at each look', () => {
    const file = join(path, 'seen');
    for (const given of [{ systemsSeen: file }, { watchSource: WatchSource.parse(`file:${file}`) }]) {
      const watching = watchingOf({ ...node, ...given }, env());
      rmSync(file, { force: true });
      expect(watching.seen()).toEqual(new Set());
      writeFileSync(file, `# here\n${fp}\n`);
      expect(watching.seen()).toEqual(new Set([fp]));
    }
  });

  it('is a command, run every half a minute beside the heartbeats; nobody is here or away while it fails', async () => {
    const [world, said]: [ReturnType<typeof aSteppedWorld>, string[]] = [aSteppedWorld(), []];
    const seen = join(path, 'seen');
    writeFileSync(seen, fp);
    const watching = byCommand(`cat '${seen}'`, { world, say: (line) => void said.push(line) });
    expect(watching.seen()).toBeUndefined();
    const running = watching.start!({} as never);
    world.step(0);
    await eventually('it has looked', async () => watching.seen()?.has(fp) === true, 5_000);

    rmSync(seen);
    // The next look is armed once the one before is over.
    await eventually('it has failed', async () => {
      world.step(30_000);
      return watching.seen() === undefined;
    });
    expect(said).toEqual(['the command of --watch-source failed (exit code 1); the agent sends no digest until it succeeds']);
    running.stop();
  });

  it('is a Salt master, which has to be looked at first', () => {
    const master = aSaltMaster();
    expect(watchingOf({ ...node, watchSource: WatchSource.parse(`salt-master:${master.root}`) }, env()).seen()).toBeUndefined();
    master.remove();
  });

  it('is nothing unless it was said', () => {
    expect(watchingOf(node, env()).seen()).toBeUndefined();
  });

  it.each(['file:', 'files:x', 'x', 'salt-master'])('is not %s', (text) => {
    expect(WatchSource.safeParse(text).success).toBe(false);
  });
});

describe('options that do not fit together', () => {
  const master = (what: string) => ({ watchSource: { by: 'salt-master', what } as const });
  it.each([
    [{ manageKeys: true }, '--manage-keys needs --watch-source salt-master:ROOT'],
    [{ metadataHook: 'x', watchSource: { by: 'file', what: 'x' } }, '--metadata-hook needs'],
    [{ uyuniAccount: 'x', watchSource: { by: 'file', what: 'x' } }, '--uyuni-account needs'],
    [{ allowActions: ['reboot'], watchSource: { by: 'salt-master', what: '/' } }, '--allow-actions needs --uyuni-account'],
    [{ uyuniAccount: 'x', metadataHook: 'y', watchSource: { by: 'salt-master', what: '/' } }, 'both apply metadata'],
    [{ ...master('/srv/master'), manageKeys: true }, 'need --salt-key'],
    [{ releaseHook: 'salt' }, '--release-hook salt needs --watch-source salt-master:ROOT'],
    [{ ...master('/srv/master'), releaseHook: 'salt' }, 'need --salt <command>'],
    [{ knockCommand: 'true', releaseHook: 'true' }, '--knock-command needs'],
  ] as const)('%j are refused', (given, why) => {
    expect(faultOfSource({ ...node, ...given })).toContain(why);
  });

  it('are none of these', () => {
    expect(
      [{}, { ...master('/'), manageKeys: true as const }, master('/srv')].map((given) => faultOfSource({ ...node, ...given })),
    ).toEqual([undefined, undefined, undefined]);
  });
});

describe('a release hook', () => {
  const by = (given: object) => {
    const options = { ...node, ...given };
    return releaseHookOf(options, watchingOf(options, env()));
  };

  it('is what was given, the minions of a Salt master, or none', async () => {
    expect(by({})).toBeUndefined();
    const command = by({ releaseHook: `cat > '${path}/told'` });
    expect(await command!(['ab', 'cd'])).toEqual({ ok: true });
    expect(readFileSync(join(path, 'told'), 'utf8')).toBe('ab\ncd\n');
    const minions = by({ watchSource: WatchSource.parse(`salt-master:${path}`), salt: 'false', releaseHook: 'salt' });
    expect(minions).toBeDefined();
    // A command of that name is one by its path.
    expect(await by({ releaseHook: '/usr/bin/false' })!(['ab'])).toEqual({ ok: false, why: expect.stringMatching(/exit code/) });
  });

  it('is said to need a source, when there is none', () => {
    const releaseHook = 'make-knock';
    expect(cautionOfSource({ ...node, releaseHook })).toMatch(/^the release hook needs --watch-source/);
    const source = WatchSource.parse('file:/run/minions');
    expect(
      [{}, { systemsSeen: '/run/minions', releaseHook }, { watchSource: source, releaseHook }].map((given) =>
        cautionOfSource({ ...node, ...given }),
      ),
    ).toEqual([undefined, undefined, undefined]);
  });
});

describe('a time of day', () => {
  it('is read as minutes', () => {
    expect(DayWindow.parse('22:00-05:30')).toEqual({ from: 1320, to: 330 });
    expect(['24:00-05:00', '1:00-2:00', '01:00'].map((text) => DayWindow.safeParse(text).success)).toEqual([false, false, false]);
  });
});
