import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Folder, folderAt } from '../../../../lib/machine/folder.ts';
import { deploymentIn } from '../../../../programs/local/name.ts';

let folder: Folder;
const zeros = (bytes: number): Uint8Array => new Uint8Array(bytes);
const ones = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(0x11);
beforeEach(() => {
  folder = folderAt(mkdtempSync(join(tmpdir(), 'muster-name-')));
});
afterEach(() => rmSync(folder.path, { recursive: true }));

describe("an embedded host's name", () => {
  it('is made at its first start, another one for each host, and stays', () => {
    expect(deploymentIn(folder, undefined, zeros)).toBe('local-00000000');
    expect(deploymentIn(folder, undefined, ones)).toBe('local-00000000');
    expect(deploymentIn(folderAt(join(folder.path, 'another')), undefined, ones)).toBe('local-11111111');
  });
  it('is the one that was given, also at the next start', () => {
    expect(deploymentIn(folder, 'acme', zeros)).toBe('acme');
    expect(deploymentIn(folder, undefined, zeros)).toBe('acme');
  });
  it('is never guessed from a file that holds none: machines would be told another', () => {
    folder.write('deployment', 'a name\n');
    expect(() => deploymentIn(folder, undefined, zeros)).toThrow(/holds no name of a deployment: set MUSTER_DEPLOYMENT/);
    expect(folder.read('deployment')).toBe('a name\n');
  });
});
