import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderAt, holdFolder } from '../../../lib/machine/folder.ts';
import { NotOurs, readGivenFile, readOwnFile, wantOwnFile, wantOwnFolder, wantOwnPlace } from '../../../lib/machine/own.ts';

const me = process.geteuid?.() ?? -1;
/** Only root can give away a file, as somebody who plants one has. */
const isRoot = me === 0;
const somebody = 54_321;

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-own-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));
const at = (...parts: string[]): string => join(place, ...parts);
const aFolder = (name: string, mode = 0o700): string => {
  mkdirSync(at(name));
  chmodSync(at(name), mode);
  return at(name);
};
const aFile = (name: string, mode = 0o600): string => {
  writeFileSync(at(name), 'text');
  chmodSync(at(name), mode);
  return at(name);
};
const theirs = (path: string): string => {
  chownSync(path, somebody, somebody);
  return path;
};

describe.skipIf(me === -1)('a state folder', () => {
  it('is taken when it is ours alone, and when it is not there', () => {
    wantOwnFolder(aFolder('home'));
    wantOwnFolder(aFolder('shown', 0o755));
    wantOwnFolder(at('absent'));
    wantOwnPlace(at('absent/deeper'));
  });

  it.each([0o770, 0o702, 0o777, 0o1777])('is refused when others can write to it: mode %o', (mode) => {
    const folder = aFolder('home', mode);
    const shown = mode.toString(8).padStart(4, '0');
    expect(() => wantOwnFolder(folder)).toThrow(
      new NotOurs(`${folder} can be written to by others (mode ${shown}): check its content, then chmod 700 ${folder}`),
    );
    chmodSync(folder, 0o700);
    wantOwnFolder(folder);
  });

  it('is refused when it is a file', () => {
    expect(() => wantOwnFolder(aFile('home'))).toThrow(`${at('home')} is not a folder: move it away`);
  });

  it('is refused in a folder where others could replace it, before anything is made there', () => {
    const above = aFolder('above', 0o777);
    const fault = `others can write to ${above} (mode 0777) and replace ${join(above, 'home')} in it: chmod go-w ${above}`;
    expect(() => folderAt(join(above, 'home')).write('ledger.json', '{}')).toThrow(new NotOurs(fault));
    expect(() => statSync(join(above, 'home'))).toThrow('ENOENT');
    chmodSync(above, 0o1777);
    folderAt(join(above, 'home')).write('ledger.json', '{}');
    expect(readFileSync(join(above, 'home/ledger.json'), 'utf8')).toBe('{}');
  });

  it('is found by links of our own, and judged where they lead', () => {
    const folder = aFolder('real');
    symlinkSync('real', at('link'));
    symlinkSync(join('..', place.slice(tmpdir().length + 1), 'link'), at('further'));
    wantOwnFolder(at('further'));
    chmodSync(folder, 0o777);
    expect(() => wantOwnFolder(at('further'))).toThrow(`${folder} can be written to by others`);
    symlinkSync('circle', at('circle'));
    expect(() => wantOwnPlace(at('circle'))).toThrow(`${at('circle')} leads through more than 40 links`);
  });

  describe.skipIf(!isRoot)('of another user', () => {
    it('is refused, with what to do', () => {
      const folder = theirs(aFolder('home'));
      expect(() => wantOwnFolder(folder)).toThrow(
        new NotOurs(
          `${folder} belongs to user ${somebody}, and this program runs as user ${me}: run it as that user, name another folder, or, if everything in it is yours, chown -R ${me} ${folder}`,
        ),
      );
    });

    it('is refused behind a link of theirs, wherever that leads', () => {
      aFolder('home');
      symlinkSync('home', at('link'));
      // chown follows links: the link is given away by its own call.
      lchown(at('link'));
      expect(() => wantOwnFolder(at('link'))).toThrow(`${at('link')} is a link of user ${somebody}, who can redirect it: remove it`);
    });

    it('is refused below a folder of theirs, who could replace it', () => {
      const above = theirs(aFolder('above', 0o755));
      mkdirSync(join(above, 'home'), { mode: 0o700 });
      expect(() => wantOwnFolder(join(above, 'home'))).toThrow(
        `${above} belongs to user ${somebody}, who could replace ${join(above, 'home')} in it: name a place that is yours, or chown ${me} ${above}`,
      );
    });
  });
});

const lchown = (path: string): void => {
  const { status } = spawnSync('chown', ['-h', String(somebody), path]);
  expect(status).toBe(0);
};

describe.skipIf(me === -1)('a file of a state folder', () => {
  it('is read when it is ours alone, and is nothing when it is not there', () => {
    expect(readOwnFile(aFile('key'))).toBe('text');
    expect(readOwnFile(at('absent'))).toBeUndefined();
    expect(readOwnFile(at('absent/too'))).toBeUndefined();
  });

  it('is refused when others can write to it', () => {
    const file = aFile('key', 0o620);
    expect(() => readOwnFile(file)).toThrow(
      new NotOurs(`${file} can be written to by others (mode 0620): check its content, then chmod 600 ${file}`),
    );
  });

  it('is refused when it has a second name', () => {
    const file = aFile('key');
    linkSync(file, at('other'));
    const mend = `cp ${file} ${file}.own && mv ${file}.own ${file}`;
    expect(() => wantOwnFile(file)).toThrow(new NotOurs(`${file} has 2 names (hard links), and others may use another one: ${mend}`));
    expect(spawnSync('sh', ['-c', mend]).status).toBe(0);
    expect(readOwnFile(file)).toBe('text');
  });

  it('is refused when it is a folder', () => {
    expect(() => readOwnFile(aFolder('key'))).toThrow(`${at('key')} is a folder: move it away`);
  });

  it.skipIf(!isRoot)('is refused when it is another user’s', () => {
    const file = theirs(aFile('key'));
    expect(() => readOwnFile(file)).toThrow(
      new NotOurs(
        `${file} belongs to user ${somebody}, and this program runs as user ${me}: run it as that user, or, if its content is yours, chown ${me} ${file}`,
      ),
    );
    expect(() => folderAt(place).read('key')).toThrow(NotOurs);
  });
});

describe.skipIf(me === -1)('a file that somebody named', () => {
  it('is read from a pipe as well, and misses as the file system says', () => {
    expect(readGivenFile(aFile('token', 0o640))).toBe('text');
    const script = `import { readGivenFile } from ${JSON.stringify(new URL('../../../lib/machine/own.ts', import.meta.url).href)}; process.stdout.write(readGivenFile('/dev/stdin'));`;
    const piping = 'printf piped | "$0" --input-type=module -e "$1"';
    const { stdout } = spawnSync('sh', ['-c', piping, process.execPath, script], { encoding: 'utf8' });
    expect(stdout).toBe('piped');
    expect(() => readGivenFile(at('absent'))).toThrow(expect.objectContaining({ code: 'ENOENT', syscall: 'open' }));
  });

  it('is refused when others can write to it', () => {
    expect(() => readGivenFile(aFile('agent.conf', 0o666))).toThrow(NotOurs);
  });

  it.skipIf(!isRoot)('is refused when it is another user’s', () => {
    expect(() => readGivenFile(theirs(aFile('agent.conf', 0o644)))).toThrow(NotOurs);
  });
});

describe('a folder that is held', () => {
  it('has a lock of mode 0600, also where an older version left another', () => {
    const folder = folderAt(at('home'));
    holdFolder(folder)!();
    expect(statSync(at('home/lock')).mode & 0o777).toBe(0o600);
    chmodSync(at('home/lock'), 0o644);
    holdFolder(folder)!();
    expect(statSync(at('home/lock')).mode & 0o777).toBe(0o600);
  });

  it('stays held while somebody else in this process asks for it', () => {
    const release = holdFolder(folderAt(at('home')))!;
    expect(holdFolder(folderAt(at('home')))).toBeUndefined();
    const script = `import { folderAt, holdFolder } from ${JSON.stringify(new URL('../../../lib/machine/folder.ts', import.meta.url).href)}; process.stdout.write(String(holdFolder(folderAt(${JSON.stringify(at('home'))})) === undefined));`;
    const other = () => spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout;
    expect(other()).toBe('true');
    release();
    expect(other()).toBe('false');
  });
});
