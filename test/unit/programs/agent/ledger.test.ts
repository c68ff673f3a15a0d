import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiClient } from '../../../../lib/api/client.ts';
import { showFingerprint } from '../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import { Unusable } from '../../../../lib/machine/command-line.ts';
import { type Folder, folderAt } from '../../../../lib/machine/folder.ts';
import { leave, momentOf } from '../../../../programs/agent/leave.ts';
import { readLeaving, readLedger, readList, writeLeaving, writeLedger, writeList } from '../../../../programs/agent/ledger.ts';
import { ledgerLines, ledgerView } from '../../../../programs/agent/status.ts';
import { aFakeMuster, problem, type Reply } from '../../../support/fake-muster.ts';
import { aLedger, node, zone } from './told.ts';

let folder: Folder;
beforeEach(() => {
  folder = folderAt(mkdtempSync(join(tmpdir(), 'muster-ledger-')));
});
afterEach(() => rmSync(folder.path, { recursive: true, force: true }));

describe('the ledger', () => {
  it('is read as it was written, and by nobody else', () => {
    const ledger = aLedger({ node, zone, incarnation: 3, generation: 1, boot: { id: 'boot-0001', kernel: 'k' } });
    writeLedger(folder, ledger);

    expect(readLedger(folder)).toEqual(ledger);
    expect((statSync(join(folder.path, 'ledger.json')).mode & 0o777).toString(8)).toBe('600');
  });

  it('that is damaged is refused: a new key would be a new node', () => {
    folder.write('ledger.json', '{"version":1,"publ');
    expect(() => readLedger(folder)).toThrow(Unusable);
  });

  it('keeps the list of client systems beside it, and forgets it when flushed', () => {
    const list = { version: 2, mapVersion: 5, systems: ['ab'.repeat(32)] };
    writeList(folder, list);
    expect(readList(folder)).toEqual(list);

    writeList(folder, undefined);
    expect(readList(folder)).toBeUndefined();
  });
});

describe('what the ledger says', () => {
  it('is shown without the private key', () => {
    const order = { mapVersion: 9, zoneSlots: 1024, slots: [1] };
    const ledger = aLedger({ node, zone, incarnation: 3, generation: 1, desired: { rev: 4, release: [order], released: 8 } });
    writeLedger(folder, ledger);
    writeList(folder, { version: 2, mapVersion: 5, systems: ['ab'.repeat(32)] });

    const view = ledgerView(folder)!;
    const { publicKey, fqdn } = ledger;
    expect(view).toEqual({
      publicKey,
      fingerprint: showFingerprint(fingerprintOf(publicKey)),
      fqdn,
      node,
      zone,
      incarnation: 3,
      generation: 1,
      desired: 4,
      releaseOrders: 1,
      systems: 1,
      listVersion: 2,
      mapVersion: 5,
    });
    expect(ledgerLines(view)).toContain(`node           ${node}\n`);
    expect(ledgerLines(view)).not.toContain(ledger.privateKey);
    expect(ledgerLines({ ...view, keySince: Date.UTC(2026, 4, 1) as EpochMs })).toContain('keySince       2026-05-01T00:00:00.000Z\n');
  });

  it('is nothing where no agent has run', () => {
    expect(ledgerView(folder)).toBeUndefined();
  });
});

describe('leaving', () => {
  const leaveWith = async (reply: Reply, mode: 'drain' | 'hold' = 'drain') => {
    const muster = await aFakeMuster(() => reply);
    const until = mode === 'hold' ? { until: 99 as EpochMs } : {};
    const left = await leave(folder, { mode, ...until }, { connect: () => apiClient(muster.url), newId: () => 'r-1' });
    await muster.stop();
    return { left, heard: muster.heard.map(({ call, body }) => [call, body]) };
  };
  const accepted = { status: 202, body: '{"accepted":1}' };

  it('is said by the ledger, and remembered for the agent that runs beside', async () => {
    writeLedger(folder, aLedger({ node, zone, incarnation: 3, generation: 2 }));
    const { left, heard } = await leaveWith(accepted, 'hold');

    expect(left.code).toBe(0);
    expect(heard).toEqual([[`POST /nodes/${node}/leaving`, { id: 'r-1', incarnation: 3, mode: 'hold', untilMs: 99 }]]);
    expect(readLeaving(folder, { incarnation: 3, generation: 2 })).toBe('hold');
  });

  it('is over for a hold when the agent starts again, for a drain when the node joins as new', () => {
    writeLeaving(folder, { incarnation: 3, generation: 2, mode: 'hold' });
    expect(readLeaving(folder, { incarnation: 4, generation: 2 })).toBeUndefined();

    writeLeaving(folder, { incarnation: 3, generation: 2, mode: 'drain' });
    expect(readLeaving(folder, { incarnation: 4, generation: 2 })).toBe('drain');
    expect(readLeaving(folder, { incarnation: 5, generation: 3 })).toBeUndefined();
  });

  it('that Muster refuses is not remembered', async () => {
    writeLedger(folder, aLedger({ node, zone, incarnation: 3, generation: 2 }));
    const { left } = await leaveWith(problem('send-node-up', 409));

    expect(left).toEqual({ line: 'refused (send-node-up): it is send-node-up', code: 75 });
    expect(readLeaving(folder, { incarnation: 3, generation: 2 })).toBeUndefined();
  });

  it('needs a Muster that can be reached, and a node that has joined', async () => {
    const muster = await aFakeMuster(() => accepted);
    await muster.stop();
    const tools = { connect: () => apiClient(muster.url), newId: () => 'r-1' };
    expect((await leave(folder, { mode: 'drain' }, tools)).code).toBe(2);

    writeLedger(folder, aLedger({ node, zone, incarnation: 3, generation: 2 }));
    expect((await leave(folder, { mode: 'drain' }, tools)).code).toBe(69);
  });
});

describe('the moment of --until', () => {
  const now = 1_000 as EpochMs;
  it.each([
    ['90m', 1_000 + 90 * 60_000],
    ['2h', 1_000 + 2 * 3_600_000],
    ['1d', 1_000 + 86_400_000],
    ['2031-05-01T12:00:00Z', Date.UTC(2031, 4, 1, 12)],
    ['2031-05-01T14:00:00+02:00', Date.UTC(2031, 4, 1, 12)],
  ])('%s is understood', (text, at) => {
    expect(momentOf(text, now)).toBe(at);
  });

  it.each([['tomorrow'], ['2'], ['h'], ['-2h'], ['2031-05-01']])('%s is not', (text) => {
    expect(momentOf(text, now)).toBeUndefined();
  });
});
