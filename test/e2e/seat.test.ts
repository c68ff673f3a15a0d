import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withBearer } from '../../lib/api/bearer.ts';
import { apiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import type { Host } from '../../programs/local/host.ts';
import { aNodeUp, type Beating, keepBeating, type TestAgent } from '../../tools/support/actors.ts';
import { aHost, eventually } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { ran as typed } from '../unit/programs/cli/a-terminal.ts';

const params = { zone: defaultZone };

let host: Host;
let nodes: TestAgent[];
const beating = new Map<string, Beating>();
beforeAll(async () => {
  host = await aHost();
  nodes = [await aNodeUp(host.url, 'uyuni1.acme.org', 'uyuni'), await aNodeUp(host.url, 'uyuni2.acme.org', 'uyuni')];
  const salt = await aNodeUp(host.url, 'salt1.acme.org', 'salt');
  for (const node of [...nodes, salt]) beating.set(node.fqdn, keepBeating(node, 500));
});
afterAll(async () => {
  for (const one of beating.values()) await one.stop();
  await host.stop();
});

/** `muster …` as an operator types it: what it says. */
async function muster(...words: readonly string[]): Promise<string> {
  const { out, err } = await typed(words, { env: { MUSTER_ENDPOINT: host.url, MUSTER_TOKEN: host.operator! }, now: Date.now });
  return out + err;
}

/** What the agent of a node is told of the seat. */
const toldTo = async (node: TestAgent) => {
  const answer = await node.api(contract.desired, { params: { id: node.id } });
  return answer.ok && answer.status === 200 ? answer.body.seat : undefined;
};
const seatNow = async () => {
  const answer = await apiAt(host.url)(contract.getSeat, { params });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
};
const typesOf = async () => {
  const answer = await apiAt(host.url)(contract.history, { params: { kind: 'seat', id: defaultZone }, query: { after: 0, limit: 100 } });
  return answer.ok ? answer.body.items.map(({ type }) => type) : [];
};

describe('common content', () => {
  let seat: TestAgent;
  let other: TestAgent;

  it('is edited on one server, which its agent is told, whoever calls at the same time', async () => {
    const api = apiAt(host.url);
    expect(await seatNow()).toMatchObject({ epoch: 0, ahead: [], because: 'nobody has edited yet' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => api(contract.editContent, { params, body: { login: `person${n}` } })),
    );
    const fqdns = new Set(answers.map((answer) => (answer.ok ? answer.body.fqdn : answer.problem.detail)));
    expect(fqdns.size).toBe(1);
    seat = nodes.find(({ fqdn }) => [...fqdns].some((one) => one === fqdn))!;
    other = nodes.find((node) => node !== seat)!;
    expect(await seatNow()).toMatchObject({
      epoch: 1,
      seat: { fqdn: seat.fqdn, editors: Array.from({ length: 10 }, () => ({ via: 'gateway' })) },
    });
    expect(await toldTo(seat)).toMatchObject({ epoch: 1 });
    expect(await toldTo(other)).toBeUndefined();
  });

  it('may be edited by the scope edit, and nothing else by it', async () => {
    const made = await apiAt(host.url)(contract.createKey, { body: { name: 'gateway', scopes: ['edit'] } });
    if (!made.ok) throw new Error(made.problem.detail);
    const api = apiClient(host.url, { fetching: withBearer(() => made.body.secret) });
    expect(await api(contract.editContent, { params, body: { login: 'person1', changes: true } })).toMatchObject({ ok: true });
    expect(await api(contract.endEditing, { params, body: { because: 'I may not' } })).toMatchObject({
      ok: false,
      problem: { status: 403 },
    });
    expect(await seatNow()).toMatchObject({ ahead: [{ fqdn: seat.fqdn }] });
  });

  it('has its editors in the audit of its zone', async () => {
    const audit = async () => {
      const answer = await apiAt(host.url)(contract.listAudit, { query: { zone: defaultZone, limit: 200 } });
      return answer.ok ? answer.body.items.filter(({ what }) => what.noun === 'seat') : [];
    };
    await eventually('the audit has it', async () => (await audit()).length > 0);
  });

  it('is shown and ended by people', async () => {
    expect(await muster('content', 'status')).toContain(`common content of zone default: edited on ${seat.fqdn}\n`);
    expect(await muster('content', 'edit')).toBe(`edit on ${seat.fqdn}; 11 others edit, too\n`);
    expect(await muster('content', 'end', '--because', 'the night shift begins', '--yes')).toContain('edited nowhere');
    expect(await muster('explain', 'seat', 'default')).toContain('the night shift begins');
    await eventually('the history has it', async () => (await typesOf()).includes('seat.ended'));
    const types = await typesOf();
    expect(types[0]).toBe('seat.elected');
    expect(types.filter((type) => type === 'seat.entered')).toHaveLength(12);
    expect(types.filter((type) => type === 'seat.left')).toHaveLength(12);
    expect(await toldTo(seat)).toBeUndefined();
  });

  it('is noted as changed when the server reports it, and goes on there until an operator says otherwise', async () => {
    await muster('content', 'synced', seat.fqdn);
    expect((await seatNow()).ahead).toEqual([]);
    await muster('content', 'edit');
    const source = randomUUID();
    const report = (seq: number) =>
      seat.api(contract.reportChanges, {
        params: { id: seat.id },
        body: { incarnation: seat.incarnation, source, seq, changes: [{ kind: 'channel', things: [[7, 'base']] }] },
      });
    expect(await report(1)).toMatchObject({ ok: true });
    expect((await seatNow()).ahead).toMatchObject([{ fqdn: seat.fqdn }]);
    await muster('content', 'synced', seat.fqdn);
    expect(await report(1)).toMatchObject({ ok: true });
    expect((await seatNow()).ahead, 'after a report that was taken before').toEqual([]);
    expect(await report(2)).toMatchObject({ ok: true });
    expect((await seatNow()).ahead).toMatchObject([{ fqdn: seat.fqdn }]);
  });

  it('is lost with a server that leaves, and waits until nothing can be open there', async () => {
    const api = apiAt(host.url);
    expect(await api(contract.leaveNode, { params: { id: seat.id }, body: { mode: 'hold' } })).toMatchObject({ ok: true });
    const refused = await eventually('nobody is sent there any more', async () => {
      const answer = await api(contract.editContent, { params, body: { login: 'person1' } });
      return answer.ok ? undefined : answer;
    });
    expect(refused).toMatchObject({ problem: { status: 409, detail: expect.stringContaining(`may still be open on ${seat.fqdn}`) } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await seatNow()).toMatchObject({ before: { fqdn: seat.fqdn }, ahead: [{ fqdn: seat.fqdn }] });
    await eventually('the history has it', async () => (await typesOf()).includes('seat.lost'));
  });
});
