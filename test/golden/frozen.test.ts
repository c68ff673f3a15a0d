import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newestEnd, readFrozen, readRecorded, recordedFolder, tampered } from './files.ts';
import { readHistory } from './history.ts';
import { record, recordEnd } from './recording.ts';

const history = 'histories/a-name-changes-hands.jsonl';
const instead = /Put it back as it was.*docs\/decisions\/.*--because.*0017-golden-histories\.md/s;

describe('what is recorded', () => {
  it('is as it was recorded, every file of it', () => {
    expect(tampered(readRecorded(), readFrozen())).toEqual([]);
  });
});

describe('a copy of it', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'muster-golden-'));
    cpSync(recordedFolder, copy, { recursive: true });
  });
  afterEach(() => rmSync(copy, { recursive: true }));
  const faults = () => tampered(readRecorded(copy), readFrozen(copy));
  const edit = (path: string, change: (text: string) => string) =>
    writeFileSync(join(copy, path), change(readFileSync(join(copy, path), 'utf8')));

  it('fails when an input is edited, and says what to do instead', () => {
    edit(history, (text) => text.replace('\\"seq\\":2', '\\"seq\\":3'));
    expect(faults()).toEqual([expect.stringContaining(`${history} was edited. `)]);
    expect(faults()[0]).toMatch(instead);
  });

  it('fails when an end is edited or taken away, or a file is written by hand', () => {
    edit('reports/node.up.v1.end.1.json', (text) => text.replace('"joining"', '"up"'));
    rmSync(join(copy, 'histories/nodes-leave.end.1.json'));
    writeFileSync(join(copy, 'histories/by-hand.jsonl'), '{}\n');
    expect(faults()).toEqual([
      expect.stringMatching(/^histories\/by-hand\.jsonl was written by hand\. .*node test\/golden\/record\.ts/),
      expect.stringMatching(/^reports\/node\.up\.v1\.end\.1\.json was edited\. /),
      expect.stringMatching(/^histories\/nodes-leave\.end\.1\.json was taken away\. /),
    ]);
  });

  it('is the same with other line ends, as a checkout may have them', () => {
    edit(history, (text) => text.replaceAll('\n', '\r\n'));
    expect(faults()).toEqual([]);
    expect(readHistory(readFileSync(join(copy, history), 'utf8'))).toEqual(readHistory(readRecorded().get(history)!));
  });

  it('is not recorded over', async () => {
    await expect(record('a-name-changes-hands', copy)).rejects.toThrow('is recorded, and is never recorded again');
    await expect(record('node.up.v1', copy)).rejects.toThrow('is recorded, and is never recorded again');
    await expect(record('nobody-told-it', copy)).rejects.toThrow('there is no story and no start for nobody-told-it');
  });

  it('takes a new end for a reason that is written down, and only when there is something new', async () => {
    await expect(recordEnd('node.up.v1', '9999', copy)).rejects.toThrow('docs/decisions/ has no decision 9999');
    await expect(recordEnd('node.up.v1', '0017', copy)).rejects.toThrow('there is nothing to record');
    await expect(recordEnd('two-machines-have-one-key', '0017', copy)).rejects.toThrow('there is nothing to record');

    const { number } = newestEnd(readRecorded(copy), 'reports/node.up.v1')!;
    edit(`reports/node.up.v1.end.${number}.json`, (text) => text.replace('"joining"', '"up"'));
    const next = `reports/node.up.v1.end.${number + 1}.json`;
    expect(await recordEnd('node.up.v1', '0017', copy)).toEqual([next]);
    expect(readRecorded(copy).get(next)).toContain('"because": "0017-golden-histories.md"');
  });

  it('is recorded where it is new: what happened, how it ended, and the digests of both', async () => {
    const paths = ['jsonl', 'end.1.json'].map((ending) => `histories/a-name-changes-hands.${ending}`);
    for (const path of paths) rmSync(join(copy, path));
    const { [paths[0]!]: _inputs, [paths[1]!]: _end, ...others } = readFrozen(copy);
    writeFileSync(join(copy, 'frozen.json'), JSON.stringify(others));

    expect(await record('a-name-changes-hands', copy)).toEqual(paths);
    expect(faults()).toEqual([]);
    expect(readHistory(readRecorded(copy).get(history)!).inputs.length).toBeGreaterThan(10);
  });
});
