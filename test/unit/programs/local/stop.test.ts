import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contract } from '../../../../lib/contract.ts';
import { ZoneName } from '../../../../lib/core/ids.ts';
import { aHost } from '../../../../tools/support/host.ts';
import { apiAt } from '../../../../tools/support/operator.ts';
import { keyPairOf, signedBy } from '../../../../tools/support/signing.ts';
import { storedIn } from '../../../chaos/evidence.ts';
import { rawCall } from '../../../support/raw-call.ts';

describe('a host that is stopped', () => {
  it('answers the call that is under way, takes no other, and has then ended', async () => {
    const host = await aHost();
    const pair = keyPairOf('web1');
    const body = JSON.stringify({ publicKey: pair.publicKey, fqdn: 'web1.acme.org', machineId: 'm1' });
    const call = { method: 'POST', path: '/system/knock', query: '', body };
    const signed = Object.entries(signedBy(pair, call, { deployment: 'local', nowMs: Date.now() })).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1').setEncoding('utf8');
    socket.write(
      `POST /system/knock HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${signed.join('')}`,
    );
    // Asked to go on, we know that the call has begun.
    socket.write('expect: 100-continue\r\n\r\n');
    expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1\.1 100 /);

    const stopped = host.stop();
    await expect(rawCall(host.url, { path: '/api/v1/status' })).rejects.toThrow('ECONNREFUSED');
    socket.write(body);

    expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n0$/);
    await stopped;
  });

  it('has said every event of what it answered', async () => {
    const home = mkdtempSync(join(tmpdir(), 'muster-'));
    const host = await aHost({ home });
    const zones = Array.from({ length: 150 }, (_, n) => `zone${n}`);
    await Promise.all(
      zones.map((name) => apiAt(host.url)(contract.createZone, { body: { name: ZoneName.parse(name), kind: 'management' } })),
    );
    await host.stop();

    const { history, eventSeqs, isPublishing } = storedIn(home);
    expect(isPublishing).toBe(false);
    expect([...eventSeqs.keys()]).toEqual(expect.arrayContaining(zones.map((id) => `zone/${id}`)));
    for (const [subject, seq] of eventSeqs) expect(history.get(subject)?.at(-1)?.seq, subject).toBe(seq);
    rmSync(home, { recursive: true });
  });
});
