import { describe, expect, it } from 'vitest';
import { encodePage } from '../../lib/zones/map/rows/slots.ts';
import { at, aZone } from '../../tools/support/builders.ts';
import type { Court } from './invariants/invariant.ts';
import { recovery } from './invariants/zones/recovery.ts';
import type { Committed } from './watching.ts';

/**
 * What is said of a zone in recovery mode with hold, whose slot 0 goes from node 1, which is lost and whose clients
 * wait, to node 2.
 */
function saidOf({ home }: { readonly home: number }): string[] {
  const said: string[] = [];
  const watcher = recovery.begin({ violated: (what: string) => said.push(what) } as unknown as Court);
  for (const [version, owner] of [1, 2].entries()) {
    const { head, map } = aZone({
      nodes: [{}, { standing: 'down' }, {}],
      owner: (slot) => (slot === 0 ? owner : 0),
      home: (slot) => (slot === 0 ? home : 0),
      head: { mode: 'recovery', meanwhile: 'hold', kept: [{ index: 1, since: at(0) }], version: version + 1, mapVersion: version + 1 },
    });
    const rows = { head, 'map#0': { version: version + 1, cells: encodePage(map, 0) } };
    const committed = Object.entries(rows).map(([sk, body]) => ({ at: at(version), after: { key: { pk: 'zone#default', sk }, body } }));
    watcher.committed!(committed as unknown as Committed[]);
  }
  return said;
}

describe('recovery-mode-keeps-homes', () => {
  it('has a slot go home from a lost node whose clients wait, and to no other', () => {
    expect(saidOf({ home: 2 })).toEqual([]);
    expect(saidOf({ home: 0 })).toEqual([expect.stringContaining('its clients were to wait')]);
    expect(saidOf({ home: 1 })).toEqual([expect.stringContaining('its clients were to wait')]);
  });
});
