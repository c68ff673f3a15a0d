import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Content, treeOf } from '../../../../lib/uyuni/content/content.ts';
import { beginExport, fileNameOf, readContent, writeContent } from '../../../../programs/agent/uyuni/content/folder.ts';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'muster-content-')), 'export');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

const content = (groups: Record<string, string>): Content =>
  new Map([['group', new Map(Object.entries(groups).map(([key, description]) => [key, { description }]))]]);

describe('the name of a file', () => {
  it('is another for each key, never a path, and never too long', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' })), (keys) => {
        const names = keys.map(fileNameOf);
        expect(new Set(names).size).toBe(keys.length);
        for (const name of names) expect(name).toMatch(/^(?!\.)[\w%.-]{1,180}\.json$/);
      }),
    );
    expect(fileNameOf('..')).toBe('%2E..json');
    expect(fileNameOf('web/../db')).toBe('web%2F..%2Fdb.json');
  });
});

describe('a folder of content', () => {
  it('gives what was written, to its owner alone', () => {
    const written = content({ web: 'Web', '../etc/passwd': 'odd', 'Zürich ✓': '' });
    writeContent(path, written);
    expect(readContent(path)).toEqual(written);
    expect(statSync(join(path, 'group', 'web.json')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8'))).toMatchObject({ format: 1, root: treeOf(written).root });
  });

  it('loses what is no longer there, keeps what is not its own, and is the same text for the same content', () => {
    writeContent(path, content({ web: 'Web', db: 'Databases' }));
    writeFileSync(join(path, 'README'), 'kept');
    writeFileSync(join(path, 'group', 'package.json'), '{"name": "no document"}');
    chmodSync(join(path, 'group', 'web.json'), 0o644);
    writeContent(path, content({ web: 'Web' }));
    expect(readdirSync(join(path, 'group'))).toEqual(['package.json', 'web.json']);
    expect(statSync(join(path, 'group', 'web.json')).mode & 0o777).toBe(0o600);
    const text = readFileSync(join(path, 'group', 'web.json'), 'utf8');
    writeContent(path, content({ web: 'Web' }));
    expect([existsSync(join(path, 'README')), readFileSync(join(path, 'group', 'web.json'), 'utf8')]).toEqual([true, text]);
  });

  it('is refused when a document is another than at the export, unless that is meant', () => {
    writeContent(path, content({ web: 'Web', db: 'Databases' }));
    const file = join(path, 'group', 'web.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"Web"', '"Wep"'));
    expect(() => readContent(path)).toThrow('group web is another');
    expect(readContent(path, { edited: true }).get('group')?.get('web')).toEqual({ description: 'Wep' });
    rmSync(file);
    expect(() => readContent(path)).toThrow('group web is another, or is gone');
    writeFileSync(file, '{"kind":"group","key":"db","document":{}}');
    expect(() => readContent(path, { edited: true })).toThrow('the key of another file');
    writeFileSync(file, '{"kind":"channel","key":"web","document":{}}');
    expect(() => readContent(path, { edited: true })).toThrow('no document of the kind group');
    writeFileSync(file, '{');
    expect(() => readContent(path, { edited: true })).toThrow('no document of the kind group');
  });

  it('is refused when its export was not finished, or is of another format', () => {
    expect(() => readContent(path)).toThrow('no export');
    writeContent(path, content({}));
    writeFileSync(join(path, 'manifest.json'), '{"format": 2, "root": "", "kinds": {}}');
    expect(() => readContent(path)).toThrow('a folder of format 1');
    rmSync(join(path, 'manifest.json'));
    expect(() => readContent(path, { edited: true })).toThrow('it is no export');
    expect(() => writeContent(path, content({}))).toThrow('holds something else');
    rmSync(path, { recursive: true });
    beginExport(path);
    mkdirSync(join(path, 'group'));
    writeFileSync(join(path, 'group', '.web.json.4711'), '{"half');
    expect(() => readContent(path, { edited: true })).toThrow('was not finished: export again');
    writeContent(path, content({ web: 'Web' }));
    expect(readContent(path)).toEqual(content({ web: 'Web' }));
    expect(readdirSync(join(path, 'group'))).toEqual(['web.json']);
  });
});
