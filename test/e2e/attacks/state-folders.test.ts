import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aHost } from '../../../tools/support/host.ts';
import { startProcess } from '../../support/host-process.ts';
import { anExecutable, aProgram } from '../../support/program.ts';

const me = process.geteuid?.() ?? -1;
const somebody = 54_321;

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-planted-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** What makes a folder one that somebody else may have prepared; only root can give it away. */
const ways: readonly (readonly [string, (path: string) => void])[] = [
  ['others can write to', (path) => chmodSync(path, 0o777)],
  ...(me === 0 ? [['belongs to another user', (path: string) => chownSync(path, somebody, somebody)] as const] : []),
];

/** A folder with the whole state of a deployment whose operator is an attacker. */
async function aPreparedFolder(): Promise<string> {
  const home = join(place, 'home');
  await (await aHost({ home })).stop();
  return home;
}

describe.skipIf(me === -1).each(ways)('a state folder that %s', (_how, spoil) => {
  it('attack 57: starts no host', async () => {
    const home = await aPreparedFolder();
    spoil(home);
    const before = readdirSync(home);
    const host = startProcess({ MUSTER_HOME: home, MUSTER_DEPLOYMENT: undefined });
    await expect(host.url).rejects.toThrow(home);
    const { code, complained } = await host.ended;
    expect([code, complained]).toEqual([1, expect.stringMatching(/^muster: .*(chmod 700|chown -R).*\n$/)]);
    expect(readdirSync(home)).toEqual(before);
  });

  it.each([
    ['programs/agent/main.ts', ['--fqdn', 'node1.acme.test']],
    ['programs/client/main.ts', ['--fqdn', 'web1.acme.test']],
  ])('starts no %s', async (path, words) => {
    const home = join(place, 'home');
    mkdirSync(home, { mode: 0o700 });
    spoil(home);
    const program = aProgram(path, [...words, '--home', home, '--endpoint', 'http://127.0.0.1:9']);
    expect(await program.ended, program.said()).toBe(74);
    expect(program.said()).toContain(home);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe.skipIf(me === -1)('a file of the state folder that has a second name', () => {
  it('attack 57: starts no host, whichever it is', async () => {
    const home = join(place, 'home');
    const running = await aHost({ home });
    const files = readdirSync(home);
    await running.stop();
    expect(files).toEqual(expect.arrayContaining(['audit-keys.json', 'keys.json', 'muster.db', 'operator.key']));
    for (const file of [...files, 'muster.db-journal']) {
      if (!existsSync(join(home, file))) writeFileSync(join(home, file), '', { mode: 0o600 });
      linkSync(join(home, file), join(place, 'other'));
      await expect(aHost({ home })).rejects.toThrow(`${join(home, file)} has 2 names`);
      rmSync(join(place, 'other'));
      if (file.startsWith('muster.db-')) rmSync(join(home, file));
    }
  });
});

describe.skipIf(me === -1)('the folder of objects in a state folder', () => {
  it('attack 57: starts no host when others can write to it, and so decide what searches find', async () => {
    const home = join(place, 'home');
    await (await aHost({ home })).stop();
    mkdirSync(join(home, 'objects'));
    chmodSync(join(home, 'objects'), 0o777);
    await expect(aHost({ home })).rejects.toThrow(`${join(home, 'objects')} can be written to by others`);
  });
});

describe.skipIf(me === -1)('an operator.key that somebody left in a folder', () => {
  /** Something that listens where the command line looks for an embedded host, and remembers what it was shown. */
  const listening = async (use: (url: string, shown: () => (string | undefined)[]) => Promise<void>): Promise<void> => {
    const shown: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      shown.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => shown);
    await new Promise((resolve) => server.close(resolve));
  };
  const status = (url: string) => {
    const main = join(import.meta.dirname, '../../../programs/cli/main.ts');
    const words = [main, 'status', '--endpoint', url];
    return anExecutable(process.execPath, words, {
      PATH: process.env['PATH'],
      MUSTER_HOME: join(place, '.muster'),
      HOME: join(place, 'user'),
    });
  };

  it.each(ways)('attack 58: is shown to nobody when its folder %s', (_how, spoil) =>
    listening(async (url, shown) => {
      mkdirSync(join(place, '.muster'), { mode: 0o700 });
      // A link to a secret of whoever types the command.
      writeFileSync(join(place, 'secret'), 'a secret of the user', { mode: 0o600 });
      symlinkSync(join(place, 'secret'), join(place, '.muster/operator.key'));
      spoil(join(place, '.muster'));
      const muster = status(url);
      expect(await muster.ended, muster.said()).toBe(77);
      expect(muster.said()).toContain(join(place, '.muster'));
      expect(shown()).toEqual([]);
    }),
  );

  it('is shown when all of it is our own', () =>
    listening(async (url, shown) => {
      mkdirSync(join(place, '.muster'), { mode: 0o700 });
      writeFileSync(join(place, '.muster/operator.key'), 'mst_own\n', { mode: 0o600 });
      await status(url).ended;
      expect(shown()).toEqual(['Bearer mst_own']);
      expect(existsSync(join(place, 'user'))).toBe(false);
    }));
});
