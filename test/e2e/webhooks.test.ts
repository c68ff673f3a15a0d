import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { webhookHeaders } from '../../lib/identity/webhook-signature.ts';
import { aClient } from '../../tools/support/actors.ts';
import { eventually } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { type HostProcess, startProcess } from '../support/host-process.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

/** A target of webhooks: what it was sent, each as it came, and how it answers. */
type Got = { readonly id: string; readonly type: string; readonly headers: IncomingMessage['headers']; readonly body: string };
let got: Got[];
let answer: (response: ServerResponse, event: Got) => void;
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const event = { id: String(request.headers['webhook-id']), type: (JSON.parse(body) as Got).type, headers: request.headers, body };
  got.push(event);
  answer(response, event);
});

let home: string;
let started: HostProcess[];
beforeEach(async () => {
  [got, started] = [[], []];
  answer = (response) => void response.writeHead(204).end();
  home = mkdtempSync(join(tmpdir(), 'muster-'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  for (const { kill } of started) kill('SIGKILL');
  await Promise.all(started.map(({ ended }) => ended));
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(home, { recursive: true });
});

const start = async (env: Readonly<Record<string, string>> = { MUSTER_WEBHOOKS_LOOPBACK: 'on' }): Promise<string> => {
  const host = startProcess({ MUSTER_HOME: home, ...env });
  started.push(host);
  return host.url;
};
const target = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
async function added(url: string): Promise<{ id: string; secret: string }> {
  const made = await apiAt(url)(contract.addWebhook, { body: { url: target() } });
  if (!made.ok) throw new Error(JSON.stringify(made.problem));
  return { id: made.body.webhook.id, secret: made.body.secret };
}
const idsOf = (type: string): string[] => got.filter((one) => one.type === type).map(({ id }) => id);

describe('a webhook of an embedded host', () => {
  it('is posted every event, signed', async () => {
    const url = await start();
    const { secret } = await added(url);
    const client = aClient(url, 'web1.acme.org');
    await client.knock();
    await eventually('the event comes', async () => idsOf('client.seen').length > 0);
    const { headers, body, id } = got.find(({ type }) => type === 'client.seen')!;
    expect(id).toBe(`client/${client.fp}#1`);
    const timestampS = Number(headers['webhook-timestamp']);
    expect(headers).toMatchObject(webhookHeaders([secret], { id, timestampS, body }));
    expect(Math.abs(Date.now() / 1000 - timestampS)).toBeLessThan(10);
  });

  it('loses nothing when the host is killed between deliveries', async () => {
    let url = await start();
    await added(url);
    // The target never answers: whatever is under way when the host dies has not been taken.
    answer = () => undefined;
    const seen: string[] = [];
    for (let n = 0; n < 5; n++) {
      const client = aClient(url, `web${n}.acme.org`);
      await client.knock();
      seen.push(`client/${client.fp}#1`);
    }
    await eventually('a delivery is under way', async () => idsOf('client.seen').length > 0);
    started[0]!.kill('SIGKILL');
    await started[0]!.ended;
    got = [];
    answer = (response) => void response.writeHead(200).end();
    url = await start();
    const late = aClient(url, 'late.acme.org');
    await late.knock();
    const all = [...seen, `client/${late.fp}#1`].sort();
    await eventually('all have come', async () => new Set(idsOf('client.seen')).size === all.length, 30_000);
    expect([...new Set(idsOf('client.seen'))].sort()).toEqual(all);
  }, 60_000);

  it('is no way to this machine unless that is allowed', async () => {
    const url = await start({});
    const refused = await apiAt(url)(contract.addWebhook, { body: { url: target() } });
    expect(refused).toMatchObject({ ok: false, status: 422 });
    const named = await apiAt(url)(contract.addWebhook, { body: { url: 'https://localhost/' } });
    expect(named).toMatchObject({ ok: false, problem: { type: 'urn:muster:problem:private-target' } });
  });

  it('is steered by the command line', async () => {
    const env = { MUSTER_ENDPOINT: await start(), MUSTER_TOKEN: '' };
    const { operatorAt } = await import('../../tools/support/operator.ts');
    env.MUSTER_TOKEN = operatorAt(env.MUSTER_ENDPOINT)!;
    const made = await ran(`webhook create ${target()} --types client.seen --severity info`, { env });
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^whsec_\S+\n$/) });
    const [, id] = /webhook (\w{12});/.exec(made.err)!;
    expect(await ran(`webhook test ${id}`, { env })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^delivered: answered 204, after \d+ ms\n$/),
    });
    const client = aClient(env.MUSTER_ENDPOINT, 'web1.acme.org');
    await client.knock();
    await eventually('the event comes', async () => idsOf('client.seen').length === 1);
    await eventually('it is shown', async () => (await ran(`webhook deliveries ${id}`, { env })).out.includes('delivered'));
    expect(await ran(`webhook replay ${id} --since 1h`, { env })).toMatchObject({ out: '1 events are delivered once more\n' });
    await eventually('it comes again', async () => idsOf('client.seen').length === 2);
    expect(await ran(`webhook replay ${id} --subject client/${client.fp} --from-number 1`, { env })).toMatchObject({ code: 0 });
    await eventually('and again', async () => idsOf('client.seen').length === 3);
    expect((await ran(`webhook delete ${id} --yes`, { env })).code).toBe(0);
    expect(await ran('webhook list', { env })).toMatchObject({ code: 0, err: 'no webhooks\n' });
    answer = (response) => void response.writeHead(500).end();
    const [, other] = /webhook (\w{12});/.exec((await ran(`webhook create ${target()}`, { env })).err)!;
    expect(await ran(`webhook test ${other}`, { env })).toMatchObject({
      code: 1,
      out: expect.stringContaining('not delivered: answered 500'),
    });
  }, 30_000);
});
