import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderAt } from '../../../../lib/machine/folder.ts';
import { readOutboxMemory, writeOutboxMemory } from '../../../../programs/agent/uyuni/memory.ts';
import { databaseIn, valuesIn } from '../../../../programs/agent/uyuni/rhn-conf.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'muster-agent-'));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('the configuration of a Uyuni server', () => {
  const conf = (text: string): string => {
    const file = join(home, 'rhn.conf');
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };

  it('says where the database is', () => {
    const text =
      '# of the installer\ndb_backend = postgresql\ndb_user=spacewalk\ndb_password = a=b#c \ndb_name = susemanager\ndb_host = db\ndb_port =\n';
    expect(databaseIn(conf(text))).toEqual({ host: 'db', port: 5432, database: 'susemanager', user: 'spacewalk', password: 'a=b#c' });
    expect(databaseIn(conf('db_user = a\ndb_password = b\ndb_name = c\n'))).toMatchObject({ host: 'localhost' });
  });

  it('is refused without what is needed, with the names of it', () => {
    expect(() => databaseIn(conf('db_user = a\n'))).toThrow(/rhn\.conf has no db_name, db_password/);
    expect(() => databaseIn(join(home, 'nowhere'))).toThrow('run this on a Uyuni server');
  });

  it('gives every value back that a file has, whatever stands around it', () => {
    const key = fc.stringMatching(/^[a-z][a-z._0-9]{0,12}$/);
    const value = fc.stringMatching(/^([!-~]([ -~]{0,12}[!-~])?)?$/);
    const blank = fc.constantFrom('', ' ', '\t', '  ');
    fc.assert(
      fc.property(fc.dictionary(key, value, { noNullPrototype: true }), blank, blank, (values, before, around) => {
        const lines = Object.entries(values).map(([name, one]) => `${before}${name}${around}=${around}${one}${before}`);
        expect(Object.fromEntries(valuesIn(['# a comment', '', ...lines, ' # another = one'].join('\n')))).toEqual(values);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the memory of an outbox', () => {
  it('is what was written; where it cannot be read, everything is to be looked at', () => {
    const folder = folderAt(home);
    const none = { version: 1, source: 'a-new-source', seq: 0, emptying: 'nothing is remembered of what was read before' };
    const read = () => readOutboxMemory(folder, () => 'a-new-source');
    expect(read()).toEqual(none);
    const memory = {
      version: 1,
      source: 'an-old-source',
      seq: 7,
      pending: { rows: [3], changes: [{ kind: 'system', things: [[1_000_010_000]] }] },
      xid: '812',
    } as const;
    writeOutboxMemory(folder, structuredClone(memory) as never);
    expect(read()).toEqual(memory);
    for (const text of ['', '{', '{"version":2,"seq":1}', '{"version":1,"seq":-1}']) {
      folder.write('uyuni.json', text);
      expect(read()).toEqual(none);
    }
  });
});
