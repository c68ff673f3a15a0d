import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EpochMs, minuteMs, plusMs } from '../../lib/core/time.ts';
import { folderObjects } from '../../lib/ports/objects/folder.ts';
import { lateObjects } from '../../lib/ports/objects/late.ts';
import { memoryObjects } from '../../lib/ports/objects/memory.ts';
import type { Objects } from '../../lib/ports/objects/objects.ts';
import { s3Objects } from '../../lib/ports/objects/s3.ts';
import { type AnS3, anS3 } from '../support/an-s3.ts';

const now = (): EpochMs => EpochMs.parse(Date.now());
let home: string;
let s3: AnS3;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'muster-objects-'));
  s3 = await anS3(now);
});
afterEach(async () => {
  rmSync(home, { recursive: true });
  await s3.close();
});

const folder = (): string => join(home, 'objects');
const inS3 = (): Objects => s3Objects({ client: new S3Client(s3.client), bucket: 'bucket', prefix: 'table' });
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const text = ({ bytes: read }: { readonly bytes: Uint8Array }): string => Buffer.from(read).toString();

describe.each([
  { where: 'in memory', open: () => memoryObjects(now) },
  { where: 'in a folder', open: () => folderObjects(folder()) },
  { where: 'in S3', open: inS3 },
  { where: 'in S3, loaded with the first call', open: () => lateObjects(async () => inS3()) },
])('objects $where', ({ open }) => {
  let objects: Objects;
  beforeEach(() => {
    objects = open();
  });

  test('are read as they were written, and are replaced by the next write', async () => {
    expect(await objects.read('index')).toBeUndefined();
    await objects.write('index', bytes('one'));
    expect(text((await objects.read('index'))!)).toBe('one');
    // The slices of a Buffer share its bytes.
    expect((await objects.read('index'))!.bytes.constructor).toBe(Uint8Array);
    await objects.write('index', bytes(''));
    expect(text((await objects.read('index'))!)).toBe('');
  });

  test('of some megabytes are read as they were written', async () => {
    const large = Uint8Array.from({ length: 3_000_001 }, (_, n) => (n * 7) % 251);
    await objects.write('large', large);
    expect(Buffer.compare((await objects.read('large'))!.bytes, large)).toBe(0);
  });

  test('are replaced only in place of those with the tag, or of nothing where there is none', async () => {
    const first = await objects.replace('index', bytes('one'), undefined);
    expect(first).toBe((await objects.read('index'))!.tag);
    expect(await objects.replace('index', bytes('two'), undefined)).toBeUndefined();
    const second = await objects.replace('index', bytes('two'), first);
    expect(second).toBeDefined();
    expect(await objects.replace('index', bytes('three'), first)).toBeUndefined();
    expect(text((await objects.read('index'))!)).toBe('two');
    await objects.write('index', bytes('four'));
    expect(await objects.replace('index', bytes('five'), second)).toBeUndefined();
    await objects.remove('index');
    expect(await objects.replace('index', bytes('six'), second)).toBeUndefined();
    expect(await objects.read('index')).toBeUndefined();
  });

  test('are replaced by one of two who do so at once', async () => {
    const tag = await objects.replace('index', bytes('one'), undefined);
    const done = await Promise.all(['two', 'three'].map((one) => objects.replace('index', bytes(one), tag)));
    expect(done.filter((one) => one !== undefined)).toHaveLength(1);
  });

  test('are listed in the order of their names, with when they were written, until they are removed', async () => {
    const before = plusMs(now(), -minuteMs);
    expect(await objects.list()).toEqual([]);
    for (const name of ['c', 'a', 'e', 'b', 'd']) await objects.write(name, bytes(name));
    const listed = await objects.list();
    expect(listed.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    for (const { at } of listed) expect(at > before && at < plusMs(now(), minuteMs)).toBe(true);
    await objects.remove('c');
    await objects.remove('never');
    expect((await objects.list()).map(({ name }) => name)).toEqual(['a', 'b', 'd', 'e']);
  });

  test('have names that are good for files', async () => {
    for (const name of ['', '../index', 'a/b', 'A', 'index.part', '-a', 'a'.repeat(81)]) {
      await expect(objects.read(name), name).rejects.toThrow(RangeError);
      await expect(objects.write(name, bytes('')), name).rejects.toThrow(RangeError);
      await expect(objects.replace(name, bytes(''), undefined), name).rejects.toThrow(RangeError);
      await expect(objects.remove(name), name).rejects.toThrow(RangeError);
    }
  });
});

describe('objects in a folder', () => {
  test('are in a folder and in files for their owner alone, which are made with the first write', async () => {
    const objects = folderObjects(folder());
    expect(await objects.list()).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
    await objects.write('index', bytes('one'));
    expect([folder(), join(folder(), 'index')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(readdirSync(folder())).toEqual(['index']);
  });

  test('are not what a process that was killed left half written, which is removed with the first write', async () => {
    await folderObjects(folder()).write('index', bytes('one'));
    writeFileSync(join(folder(), 'index.part'), 'tw');
    writeFileSync(join(folder(), 'segment.part'), 'thr');
    const objects = folderObjects(folder());
    expect((await objects.list()).map(({ name }) => name)).toEqual(['index']);
    expect(text((await objects.read('index'))!)).toBe('one');
    await objects.write('other', bytes('two'));
    expect(readdirSync(folder())).toEqual(['index', 'other']);
  });

  test('can be tried again later when the file system refuses', async () => {
    writeFileSync(folder(), 'a file in the place of the folder');
    const objects = folderObjects(folder());
    await expect(objects.write('index', bytes('one'))).rejects.toMatchObject({ code: 'objects.failed', retry: 'later' });
    await expect(objects.read('index')).rejects.toMatchObject({ code: 'objects.failed', retry: 'later' });
    rmSync(folder());
    await objects.write('index', bytes('one'));
    expect(text((await objects.read('index'))!)).toBe('one');
  });
});

describe('objects in S3', () => {
  test('can be asked for again later when S3 is busy', async () => {
    const objects = inS3();
    s3.beBusy();
    for (const asked of [objects.read('index'), objects.write('index', bytes('')), objects.replace('index', bytes(''), undefined)])
      await expect(asked).rejects.toMatchObject({ code: 'service.busy', retry: 'later' });
    await expect(objects.list()).rejects.toMatchObject({ code: 'service.busy' });
    await expect(objects.remove('index')).rejects.toMatchObject({ code: 'service.busy' });
  });

  test('of another table are others', async () => {
    await inS3().write('index', bytes('one'));
    const other = s3Objects({ client: new S3Client(s3.client), bucket: 'bucket', prefix: 'table-2' });
    expect(await other.read('index')).toBeUndefined();
    expect(await other.list()).toEqual([]);
  });
});
