import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderAt } from '../../../../lib/machine/folder.ts';
import { AdoptionWanted } from '../../../../programs/agent/adoption/wanted.ts';

describe('the order to offer systems for adoption', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'muster-adoption-'));
  });
  const started = () => new AdoptionWanted(folderAt(home));

  it('outlives the agent until it has ended', () => {
    started().desired('first');
    const again = started();
    expect(again.order()).toBe('first');
    again.done('first');
    expect(started().order()).toBeUndefined();
  });

  it('is not ended by the end of the one that it has replaced', () => {
    const wanted = started();
    wanted.desired('first');
    wanted.desired('second');
    wanted.done('first');
    expect([wanted.order(), started().order()]).toEqual(['second', 'second']);
  });

  it('is none where the folder has something else', () => {
    writeFileSync(join(home, 'adoption.json'), '{"order":');
    expect(started().order()).toBeUndefined();
  });
});
