import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, Unreachable } from '../../../../lib/api/client.ts';
import type { Fqdn, NodeId } from '../../../../lib/core/ids.ts';
import { dayMs, type EpochMs } from '../../../../lib/core/time.ts';
import { isProofOfRotation } from '../../../../lib/identity/rotation-proof.ts';
import { type Folder, folderAt } from '../../../../lib/machine/folder.ts';
import type { Input } from '../../../../programs/agent/hear.ts';
import { LiveLedger } from '../../../../programs/agent/kept-ledger.ts';
import { type Ledger, readLedger, writeRotating } from '../../../../programs/agent/ledger.ts';
import { Rotation } from '../../../../programs/agent/rotation.ts';
import { ledgerLines, ledgerView } from '../../../../programs/agent/status.ts';
import { noon } from '../../../../tools/support/builders.ts';
import { keyPairOf } from '../../../../tools/support/signing.ts';

const [first, second] = [keyPairOf('the first key'), keyPairOf('the second key')];
const node = 'n0123456789abcdef' as NodeId;
const beaten = { type: 'beaten' } as Input;
const refusedAs = (problem: string) => ({ type: 'refused', call: 'heartbeat', problem }) as Input;

let path: string;
let folder: Folder;
let answers: ('ok' | 'lost' | string)[];
let asked: { publicKey: string; proof: string }[];
let said: string[];
let onDisk: (Ledger | undefined)[];
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'agent-'));
  folder = folderAt(path);
  [answers, asked, said, onDisk] = [[], [], [], []];
});
afterEach(() => rmSync(path, { recursive: true }));

const ledger = (more: Partial<Ledger> = {}): Ledger => ({
  version: 1,
  ...first,
  fqdn: 'node1.acme.org' as Fqdn,
  node,
  deployment: 'test',
  keySince: noon,
  incarnation: 1,
  generation: 1,
  desired: { rev: 0, release: [], released: 0 },
  ...more,
});

const api = (async (_route: unknown, { body }: { body: (typeof asked)[number] }) => {
  asked.push(body);
  onDisk.push(readLedger(folder));
  const answer = answers.shift() ?? 'ok';
  if (answer === 'lost') throw new Unreachable('nobody answers');
  return answer === 'ok' ? { ok: true } : { ok: false, problem: { type: `urn:muster:problem:${answer}`, detail: 'so it is' } };
}) as unknown as ApiClient;

function aRotation({
  kept = new LiveLedger(folder, ledger()),
  everyMs,
  at = noon,
}: {
  kept?: LiveLedger;
  everyMs?: number;
  at?: number;
} = {}) {
  const options = {
    live: kept,
    folder,
    api,
    everyMs,
    signal: new AbortController().signal,
    now: () => at as EpochMs,
    newKeys: () => second,
  };
  const rotation = new Rotation({ ...options, say: (line) => void said.push(line) });
  return { kept, hears: (heard: Input, signedBy = kept.pair.publicKey) => rotation.after(heard, node, signedBy) };
}

describe('an agent that is asked for another key', () => {
  it('has both keys on disk before Muster hears of the new one, and the old one until the new one is answered', async () => {
    const { kept, hears } = aRotation();
    writeRotating(folder, first.publicKey);

    await hears(beaten);
    expect(onDisk).toEqual([ledger({ nextKey: second })]);
    const rotated = { deployment: 'test', node, from: first.publicKey, to: second.publicKey };
    expect(asked.map(({ publicKey, proof }) => [publicKey, isProofOfRotation(proof, rotated)])).toEqual([[second.publicKey, true]]);
    expect(readLedger(folder)).toEqual(ledger({ ...second, oldKey: first }));
    expect(kept.pair).toEqual(second);

    await hears(beaten);
    expect(readLedger(folder)).toEqual(ledger(second));
    await hears(beaten);
    expect(asked).toHaveLength(1);
    expect(said).toEqual(['the agent signs with its new key; the old key is revoked']);
  });
  it('asks for the same one again when no answer came, also after it was started again', async () => {
    answers = ['lost', 'lost'];
    const { hears } = aRotation();
    writeRotating(folder, first.publicKey);
    await hears(beaten);
    expect(readLedger(folder)).toEqual(ledger({ nextKey: second }));

    const again = aRotation({ kept: new LiveLedger(folder, readLedger(folder)!) });
    await again.hears(beaten);
    await again.hears(beaten);
    expect(new Set(asked.map(({ publicKey }) => publicKey))).toEqual(new Set([second.publicKey]));
    expect(again.kept.pair).toEqual(second);
  });
  it('goes back to the old one when Muster does not know the new one', async () => {
    const { kept, hears } = aRotation({ kept: new LiveLedger(folder, ledger({ ...second, oldKey: first })) });
    await hears(refusedAs('busy'));
    expect(kept.pair).toEqual(second);
    // A call that was under way when the key changed was signed by the old one, which is revoked by now.
    await hears(refusedAs('signature-invalid'), first.publicKey);
    expect(kept.pair).toEqual(second);
    await hears({ type: 'refused', call: 'up', problem: 'signature-invalid' } as Input);
    expect(readLedger(folder)).toEqual(ledger());
    expect(kept.pair).toEqual(first);
  });
  it('makes another one when that one is somebody else’s', async () => {
    answers = ['key-in-use'];
    const { hears } = aRotation();
    writeRotating(folder, first.publicKey);
    await hears(beaten);
    expect(readLedger(folder)).toEqual(ledger());
    expect(said).toEqual(['the next key was refused (key-in-use): so it is; trying again']);
  });
  it('waits until it is heard, and asks for none when nobody wants it', async () => {
    const { hears } = aRotation();
    await hears(beaten);
    writeRotating(folder, first.publicKey);
    await hears(refusedAs('quarantined'));
    expect(asked).toEqual([]);
  });
  it('takes one by itself when its own is as old as it may become', async () => {
    await aRotation({ everyMs: 90 * dayMs, at: noon + 90 * dayMs - 1 }).hears(beaten);
    expect(asked).toHaveLength(0);
    await aRotation({ everyMs: 90 * dayMs, at: noon + 90 * dayMs }).hears(beaten);
    expect(asked).toHaveLength(1);
  });
});

describe('the private keys of an agent', () => {
  it('can be read by its own user alone, whatever is written', async () => {
    const { hears } = aRotation();
    writeRotating(folder, first.publicKey);
    for (const _beat of [1, 2]) {
      await hears(beaten);
      for (const file of readdirSync(path)) expect([file, statSync(join(path, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
    expect(readFileSync(join(path, 'ledger.json'), 'utf8')).toContain(second.privateKey);
  });
  it('are shown by nobody', () => {
    const kept = new LiveLedger(folder, ledger({ nextKey: second, oldKey: keyPairOf('the third key') }));
    const view = ledgerView(folder)!;
    const shown = `${JSON.stringify(view)}${ledgerLines(view)}${said.join('')}`;
    for (const key of [kept.ledger.privateKey, second.privateKey, keyPairOf('the third key').privateKey]) expect(shown).not.toContain(key);
    expect(view).toMatchObject({ rotating: true, fingerprint: expect.stringMatching(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/) });
  });
});
