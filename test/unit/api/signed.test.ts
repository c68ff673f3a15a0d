import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { apiClient, type Fetching, Unreachable } from '../../../lib/api/client.ts';
import { type SigningFor, signing, signingHeaders } from '../../../lib/api/signed.ts';
import { clientRoutes } from '../../../lib/clients/routes.ts';
import { verifyingKey } from '../../../lib/core/public-key.ts';
import { isSignedBy, readSignature } from '../../../lib/identity/signature.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';

const nowMs = 1_900_000_000_000;
const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}', signal: new AbortController().signal };
const url = 'http://muster.example.test/nodes/join?x=%20y';

type Heard = Parameters<Fetching>[1] & { readonly url: string };

/** A deployment that answers these one after the other, the last again and again. */
function deployment(...answers: Response[]) {
  const heard: Heard[] = [];
  const learned: SigningFor[] = [];
  let known: SigningFor = { clockAheadMs: 0 };
  let nonces = 0;
  const call = signing({
    keys: () => keyPairOf('node 1'),
    known: () => known,
    learn: (told) => {
      known = told;
      learned.push(told);
    },
    now: () => nowMs,
    newNonce: () => {
      nonces += 1;
      return `nonce-${nonces}`.padEnd(16, '-');
    },
    fetching: async (to, sent) => {
      heard.push({ ...sent, url: to });
      return answers[Math.min(heard.length, answers.length) - 1]!.clone();
    },
  });
  return { call: () => call(url, { ...init, redirect: 'manual' }), heard, learned };
}

const refusal = (headers: Readonly<Record<string, string>>): Response => new Response('{}', { status: 401, headers });
const ok = new Response('{}');

function verdict({ method, body = '', headers }: Heard, name: string, nowS = nowMs / 1000): string {
  const read = readSignature(
    { method, path: '/nodes/join', query: 'x=%20y', body, header: (one) => headers[one] },
    { deployment: name, nowS },
  );
  if (!read.ok) return read.fault;
  return isSignedBy(read.claim, verifyingKey(keyPairOf('node 1').publicKey)) ? 'signed' : 'signature-invalid';
}

describe('a machine that signs its calls', () => {
  it('learns once for whom, repeats the call under another nonce, and is known from then on', async () => {
    const muster = deployment(refusal({ [signingHeaders.deployment]: 'prod' }), ok);

    await muster.call();
    await muster.call();

    expect(muster.heard.map((one) => verdict(one, 'prod'))).toEqual(['signature-invalid', 'signed', 'signed']);
    expect(new Set(muster.heard.map(({ headers }) => headers['signature-input']))).toHaveProperty('size', 3);
    expect(muster.learned).toEqual([{ deployment: 'prod', clockAheadMs: 0 }]);
  });

  it('is not talked into another deployment later', async () => {
    const muster = deployment(refusal({ [signingHeaders.deployment]: 'prod' }), refusal({ [signingHeaders.deployment]: 'thief' }));

    await muster.call();
    await muster.call();

    expect(muster.heard.map((one) => verdict(one, 'prod'))).toEqual(['signature-invalid', 'signed', 'signed']);
    expect(muster.learned).toHaveLength(1);
  });

  it('takes no name that would write more into the signature than its tag', async () => {
    for (const name of ['', 'a"', 'a";alg="none', 'a b', 'ä', 'x'.repeat(65)]) {
      const muster = deployment(refusal({ [signingHeaders.deployment]: encodeHeader(name) }));

      await muster.call();

      expect([muster.learned, muster.heard.length], name).toEqual([[], 1]);
    }
  });

  it('takes over the clock it is told, and repeats a call once, not for ever', async () => {
    const aheadMs = 3_600_000;
    const muster = deployment(refusal({ [signingHeaders.time]: String(nowMs + aheadMs), [signingHeaders.deployment]: 'prod' }));

    expect((await muster.call()).status).toBe(401);

    expect(muster.heard.map((one) => verdict(one, 'prod', (nowMs + aheadMs) / 1000))).toEqual(['clock-skew', 'signed']);
    for (const time of ['', 'now', '-1', '1e9', '9'.repeat(16)]) {
      const wrong = deployment(refusal({ [signingHeaders.time]: time }));
      await wrong.call();
      expect(wrong.learned, time).toEqual([]);
    }
  });
});

const encodeHeader = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('a call that is sent elsewhere', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  it('is not repeated there: what it carries is for the deployment that was named', async () => {
    let reached = 0;
    const thief = await listening(() => {
      reached += 1;
      return {};
    });
    const muster = await listening(() => ({ location: `${thief}/system/status` }));
    const api = apiClient(muster, { headers: { 'muster-token': 'secret' } });

    await expect(api(clientRoutes.systemStatus, { query: { fp: 'a'.repeat(64) } })).rejects.toThrow(Unreachable);
    expect(reached).toBe(0);
  });

  async function listening(headersOf: () => Record<string, string>): Promise<string> {
    const server = createServer((_request, response) => {
      response.writeHead(302, headersOf()).end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
