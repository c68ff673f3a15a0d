import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commonWrites } from '../../../../../lib/uyuni/api/common-writes.ts';
import { readResponse } from '../../../../../lib/uyuni/xml-rpc/read.ts';
import { callText } from '../../../../../lib/uyuni/xml-rpc/write.ts';
import { startSite } from '../../../../../programs/agent/uyuni/site/site.ts';
import type { Standing } from '../../../../../programs/agent/uyuni/site/standing.ts';
import { xmlRpcGate } from '../../../../../programs/agent/uyuni/site/xml-rpc-gate.ts';
import { after, answered, served } from './served.ts';

type Heard = { readonly url: string; readonly headers: Record<string, unknown>; readonly body: Buffer | 'cut off' };

const heard: Heard[] = [];
const closing: (() => Promise<void>)[] = [];
let standing: Standing;
let url: string;
let server: Awaited<ReturnType<typeof served>>;
/** Bytes that are no text, so that nothing can have read them as one. */
const reply = Buffer.concat([Buffer.from('<?xml version="1.0"?>'), randomBytes(200_000)]);

beforeEach(async () => {
  heard.length = 0;
  standing = { fqdn: 'uyuni1.acme.test', zone: 'berlin', clusterUi: '/muster/ui/', locksContent: true, isOpen: false };
  server = await served(async (request, response) => {
    const body = await request.toArray().then(
      (parts) => Buffer.concat(parts),
      () => 'cut off' as const,
    );
    heard.push({ url: request.url ?? '', headers: request.headers, body });
    response.writeHead(200, { 'content-type': 'text/xml', 'set-cookie': ['a=1', 'b=2'], 'x-of-server': 'yes' }).end(reply);
  });
  const gate = xmlRpcGate({ server: server.url, secret: 'the secret' }, () => standing, after);
  const site = await startSite({ port: 0, routes: [], passes: [gate], say: (line) => expect.unreachable(line), after });
  closing.push(site.close, server.close);
  url = `http://127.0.0.1:${site.port}`;
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const call = (parts: readonly (string | Buffer)[], path = '/rpc/api', headers: Record<string, string> = {}) =>
  answered(url + path, { method: 'POST', headers: { 'content-type': 'text/xml', ...headers }, parts });

describe('calls of XML-RPC that go through the agent', () => {
  it('pass byte for byte in both directions, however they are cut, with their headers', async () => {
    const body = Buffer.concat([Buffer.from(callText('system.listSystems', ['x'])), randomBytes(300_000).map((byte) => byte & 0x3b)]);
    const parts = [body.subarray(0, 10), body.subarray(10, 60), body.subarray(60, 70_000), body.subarray(70_000)];
    const {
      status,
      headers,
      body: back,
    } = await call(parts, '/rpc/api?a=b%20c', {
      host: 'uyuni1.acme.test',
      'x-of-client': 'yes',
      'content-length': String(body.byteLength),
    });
    expect(heard).toEqual([{ url: '/rpc/api?a=b%20c', headers: expect.any(Object), body }]);
    expect(heard[0]?.headers).toMatchObject({
      ...{ host: 'uyuni1.acme.test', 'x-of-client': 'yes', 'muster-passed': 'the secret' },
      'content-length': String(body.byteLength),
    });
    expect([status, headers['set-cookie'], headers['x-of-server']]).toEqual([200, ['a=1', 'b=2'], 'yes']);
    expect(Buffer.from(back, 'latin1').equals(reply)).toBe(true);
  });

  it('are answered with a fault for every method that changes common content', async () => {
    standing = { ...standing, editing: { who: 'ada', node: 'uyuni2.acme.test' } };
    for (const method of commonWrites) {
      const { status, headers, body } = await call([callText(method, ['x'])]);
      const answer = readResponse(body);
      expect([method, status, headers['content-type'], answer]).toMatchObject([
        method,
        200,
        'text/xml',
        { ok: false, fault: { code: -23 } },
      ]);
      expect(body).toContain('ada edits the common content of the zone berlin at uyuni2.acme.test.');
    }
    expect(heard).toEqual([]);
  });

  it('are answered with a fault at every path that a server takes for the interface', async () => {
    for (const path of ['/rpc/api', '/rpc/api/', '/rpc/apiary', '/WEBRPC', '/WEBRPC/pub', '/rhn/rpc/api', '/a/../rpc/api'])
      expect((await call([callText('channel.software.create', [])], path)).body).toContain('-23');
    expect(heard).toEqual([]);
  });

  it('are answered with a fault where the method cannot be told or is not known', async () => {
    const hostile = ['', '<x/>', `<!DOCTYPE a>${callText('system.listSystems', [])}`, callText('taskomatic.scheduleBunch', [])];
    for (const body of hostile) expect(readResponse((await call([body])).body)).toMatchObject({ ok: false, fault: { code: -23 } });
    expect(heard).toEqual([]);
  });

  it('are cut off before a second method reaches the server', async () => {
    const first = `<methodCall><methodName>system.listSystems</methodName>${' '.repeat(100_000)}`;
    const { body } = await call([first, '<method', 'Name>channel.software.create</methodName></methodCall>']);
    expect(readResponse(body)).toMatchObject({ ok: false, fault: { text: 'The call names more than one method.' } });
    await expect.poll(() => heard.map((one) => one.body)).toEqual(['cut off']);
  });

  it('all pass where common content is edited', async () => {
    standing = { ...standing, isOpen: true };
    for (const body of [callText('channel.software.create', []), '<x/>']) expect((await call([body])).headers['x-of-server']).toBe('yes');
  });

  it('are a 502 while the server is away', async () => {
    await server.close();
    expect(await call([callText('system.listSystems', [])])).toMatchObject({ status: 502 });
  });

  it('are forgotten when their caller goes away', async () => {
    const { port } = new URL(url);
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.end(`POST /rpc/api HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\n${callText('system.listSystems', [])}`);
    });
    await expect.poll(() => heard.map((one) => one.body)).toEqual(['cut off']);
  });
});
