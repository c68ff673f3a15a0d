import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { folderAt, holdFolder } from '../../../lib/machine/folder.ts';

const places: string[] = [];
const aPlace = (): string => {
  const place = mkdtempSync(join(tmpdir(), 'muster-folder-'));
  places.push(place);
  return join(place, 'own');
};
afterEach(() => {
  for (const place of places.splice(0)) rmSync(place, { recursive: true, force: true });
});
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("a program's own folder", () => {
  it('is readable by nobody else, and so are its files', () => {
    const path = aPlace();
    folderAt(path).write('secret', 'text');

    expect([modeOf(path), modeOf(join(path, 'secret'))]).toEqual(['700', '600']);
  });

  it('holds the old text or the new, and nothing of a write that was cut off', () => {
    const path = aPlace();
    const folder = folderAt(path);
    folder.write('state', 'old');
    // What a crash in the middle of a write leaves behind.
    folder.write('state.part', 'half of the ne');
    expect(folder.read('state')).toBe('old');

    folder.write('state', 'new');
    expect(readFileSync(join(path, 'state'), 'utf8')).toBe('new');
    expect(readdirSync(path)).not.toContain('state.part');
  });

  it('is not made by looking into it', () => {
    const path = aPlace();
    expect(folderAt(path).read('state')).toBeUndefined();
    expect(() => statSync(path)).toThrow('ENOENT');
  });

  it('is held by one at a time', () => {
    const folder = folderAt(aPlace());
    const release = holdFolder(folder);
    expect(release).toBeDefined();
    expect(holdFolder(folder)).toBeUndefined();

    release?.();
    const again = holdFolder(folder);
    expect(again).toBeDefined();
    again?.();
  });
});
