import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockedHeader } from '../../lib/uyuni/api/common-writes.ts';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { type SitePass, startSite } from '../../programs/agent/uyuni/site/site.ts';
import type { Standing } from '../../programs/agent/uyuni/site/standing.ts';
import { xmlRpcGate } from '../../programs/agent/uyuni/site/xml-rpc-gate.ts';
import type { Seats } from '../../programs/gateway/seats.ts';
import { aGateway, resultOf } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

const name = 'uyuni1.acme.test';
const closing: (() => Promise<void>)[] = [];
let node: PlayedNode;
let standing: Standing;
/** The server as callers reach it: behind the lock of its agent. */
let locked: { readonly name: string; readonly url: string };
/** How many calls came to the lock. */
let came: number;

beforeEach(async () => {
  came = 0;
  node = await aPlayedNode(name, []);
  standing = { fqdn: name, zone: 'berlin', clusterUi: '/muster/ui/', locksContent: true, isOpen: false };
  const after = (waitMs: number, then: () => void) => {
    const timer = setTimeout(then, waitMs);
    return () => clearTimeout(timer);
  };
  const gate = xmlRpcGate({ server: node.url, secret: 'the secret' }, () => standing, after);
  const counted: SitePass = {
    takes: gate.takes,
    pass: (request, response) => {
      came++;
      return gate.pass(request, response);
    },
  };
  const site = await startSite({ port: 0, routes: [], passes: [counted], say: (line) => expect.unreachable(line), after });
  closing.push(site.close, node.close);
  locked = { name, url: `http://127.0.0.1:${site.port}` };
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Muster has just made this server the seat, or an operator has named it. */
const seats = (isElected: boolean): Seats => ({ isElected, seatFor: async () => ({ node: name }), finished: () => undefined });

async function signedIn(isElected: boolean, deadlineMs: number) {
  const gateway = await aGateway([locked], { seats: seats(isElected), deadlineMs });
  closing.push(gateway.close);
  return { gateway, key: resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string };
}
const created = (): number => node.calls.filter(({ method }) => method === 'systemgroup.create').length;

describe('a change of common content at a seat whose agent has not heard of that yet', () => {
  it('waits until it is open there, and is carried out once', async () => {
    const { gateway, key } = await signedIn(true, 20_000);
    const before = came;
    const answer = gateway.call('systemgroup.create', key, 'a', 'd');
    await expect.poll(() => came - before, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
    expect(created()).toBe(0);
    standing = { ...standing, isOpen: true };
    expect(resultOf(await answer)).toMatchObject({ name: 'a' });
    expect(created()).toBe(1);
  });

  it('has the answer of the lock in good time where it stays locked, and the server is not taken for a failing one', async () => {
    const { gateway, key } = await signedIn(true, 20_000);
    const text = callText('systemgroup.create', [key, 'a', 'd']);
    for (let n = 0; n < 4; n++) {
      const before = came;
      const answer = (await gateway.send(text, { 'x-deadline': '2.5' })).read();
      expect(answer).toMatchObject({ ok: false, fault: { code: -23 } });
      expect(came - before).toBe(2);
    }
    expect((await gateway.call('systemgroup.listAllGroups', key)).ok).toBe(true);
    expect(created()).toBe(0);
  });

  it('is not waited for where an operator has named the server', async () => {
    const { gateway, key } = await signedIn(false, 20_000);
    const before = came;
    expect(await gateway.call('systemgroup.create', key, 'a', 'd')).toMatchObject({ ok: false, fault: { code: -23 } });
    expect(came - before).toBe(1);
  });
});

describe('the answer of a lock', () => {
  it('says by a header that the call was not carried out; other refusals of the gate do not', async () => {
    const call = (body: string) => fetch(`${locked.url}/rpc/api`, { method: 'POST', body, headers: { 'content-type': 'text/xml' } });
    const text = (method: string) => `<?xml version="1.0"?><methodCall><methodName>${method}</methodName></methodCall>`;
    expect((await call(text('systemgroup.create'))).headers.get(lockedHeader)).toBe('content');
    expect((await call(text('system.listSystems'))).headers.get(lockedHeader)).toBeNull();
  });
});
