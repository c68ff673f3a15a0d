import { describe, expect, it } from 'vitest';
import type { Folder } from '../../../../lib/machine/folder.ts';
import { livesOf } from '../../../../programs/agent/processes/born.ts';
import { ProcessKeeper } from '../../../../programs/agent/processes/keeper.ts';
import { allowedBy } from '../../../../programs/agent/services/allowed.ts';
import { ServiceKeeper } from '../../../../programs/agent/services/keeper.ts';
import { aSteppedWorld } from '../../../support/stepped-world.ts';

/** A folder in memory on a disk that is full for so many writes. */
function fullFor(writes: number): Folder & { readonly files: Map<string, string> } {
  const files = new Map<string, string>();
  let left = writes;
  return {
    files,
    path: '/var/lib/muster-agent',
    read: (name) => files.get(name),
    write: (name, text) => {
      if (left-- > 0) throw new Error('no space left on device');
      files.set(name, text);
    },
    remove: (name) => void files.delete(name),
  };
}

const shared = { lives: livesOf('0123abcd'), say: () => {}, runner: { onEnd: () => {} } as never };

describe('what a keeper could not write', () => {
  it('of processes is written the next time', () => {
    const folder = fullFor(1);
    const keeper = new ProcessKeeper({ ...shared, folder, files: undefined as never, newName: () => 'table0001', world: aSteppedWorld() });

    expect(() => keeper.desired(1, [])).toThrow('no space left');
    keeper.written();

    expect(JSON.parse(folder.files.get('processes-desired.json')!)).toMatchObject({ rev: 1 });
  });

  it('of services is written the next time', () => {
    const folder = fullFor(1);
    const keeper = new ServiceKeeper({
      ...shared,
      folder,
      allowed: allowedBy(),
      reporter: { say: () => {}, written: () => {}, untoldFrom: undefined },
      world: aSteppedWorld(),
    });

    expect(() => keeper.desired(1, [])).toThrow('no space left');
    keeper.start({ api: undefined as never, member: () => undefined }).stop();

    expect(JSON.parse(folder.files.get('services-desired.json')!)).toMatchObject({ rev: 1 });
  });
});
