import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { NodeId } from '../../lib/core/ids.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { someLoad } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { signedNode } from '../../tools/support/signed-client.ts';
import { aProgram, type Program } from '../support/program.ts';

let host: TestHost;
let home: string;
let agent: Program;
beforeAll(async () => {
  host = await aHost({ beatMinMs: 300 });
  home = mkdtempSync(join(tmpdir(), 'muster-key-'));
  const [port] = await freePorts(1);
  agent = aProgram('programs/agent/main.ts', [
    '--endpoint',
    host.url,
    '--fqdn',
    'node1.acme.test',
    '--watch',
    `127.0.0.1:${port}`,
    '--home',
    home,
  ]);
});
afterAll(async () => {
  agent.child.kill('SIGKILL');
  await agent.ended;
  await host.stop();
  rmSync(home, { recursive: true, force: true });
});

const ledger = () => JSON.parse(readFileSync(join(home, 'ledger.json'), 'utf8')) as { publicKey: string; privateKey: string; node: NodeId };

describe('muster-agent rotate', () => {
  it('gives a node that works another key, and the one before opens no door any more', async () => {
    await agent.says('acknowledged');
    const before = ledger();

    const asked = aProgram('programs/agent/main.ts', ['rotate', '--home', home]);
    expect(await asked.ended).toBe(0);
    await agent.says('the agent signs with its new key');

    const after = ledger();
    expect(after.node).toBe(before.node);
    expect(after.publicKey).not.toBe(before.publicKey);
    const beat = { params: { id: after.node }, body: { id: 'a thief', incarnation: 1, seq: 99_999, load: someLoad } };
    expect((await signedNode(host.url, before)(contract.heartbeat, beat)).status).toBe(401);
    await eventually('the node is up', async () => {
      const seen = await apiAt(host.url)(contract.getNode, { params: { id: after.node } });
      return seen.ok && seen.body.status === 'up';
    });
  });

  it('shows the fingerprint of the new key, and no private one', async () => {
    const shown = aProgram('programs/agent/main.ts', ['status', '--json', '--home', home]);
    expect(await shown.ended).toBe(0);
    expect(JSON.parse(shown.said()).fingerprint.replaceAll(':', '')).toBe(fingerprintOf(ledger().publicKey));
    expect(`${shown.said()}${agent.said()}`).not.toContain(ledger().privateKey);
  });
});
