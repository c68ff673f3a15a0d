import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { clientHeaders } from '../../lib/clients/routes.ts';
import { contract } from '../../lib/contract.ts';
import { tokenKeyId } from '../../lib/identity/token.ts';
import { aClient, aNodeUp } from '../../tools/support/actors.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';

type Client = ReturnType<typeof aClient>;
/** What a client was answered: the byte, and whether it was told that its token holds no more. */
type Seen = {
  readonly client: Client;
  readonly byte: unknown;
  readonly toKnock: boolean;
  readonly askedAt: number;
  readonly answeredAt: number;
};

const node = 'node1.acme.org';
let host: TestHost;
let api: ApiClient;
let clients: readonly Client[];
beforeAll(async () => {
  // No lease runs out meanwhile.
  host = await aHost({ beatMinMs: 60_000 });
  api = apiAt(host.url);
  await aNodeUp(host.url, node);
  clients = Array.from({ length: 24 }, (_, n) => aClient(host.url, `web${n}.acme.org`));
  await Promise.all(clients.map((client) => client.knock()));
  await api(contract.accept, { body: { systems: clients.map(({ fp }) => fp), tags: [] } });
  await Promise.all(clients.map(onboard));
}, 60_000);
afterAll(() => host.stop());

async function onboard(client: Client): Promise<void> {
  await client.knock();
  await client.orphan();
  await client.knock({ confirmed: node });
}

const ask = async (client: Client): Promise<Seen> => {
  const askedAt = performance.now();
  const answer = await api(contract.systemStatus, { query: { fp: client.fp }, headers: { [clientHeaders.token]: client.token()! } });
  const byte = answer.ok ? answer.body : answer.problem;
  return { client, byte, toKnock: answer.headers.get(clientHeaders.knock) !== null, askedAt, answeredAt: performance.now() };
};

/** Has every client ask for its status again and again while `work` is done, and for a while before and after. */
async function underLoad(work: () => Promise<void>): Promise<Seen[]> {
  const seen: Seen[] = [];
  let isOver = false;
  const enough = (calls: number): Promise<void> =>
    new Promise((resolve) => {
      const look = () => (seen.length >= calls ? resolve() : setTimeout(look, 5));
      look();
    });
  const asking = clients.map(async (client) => {
    while (!isOver) seen.push(await ask(client));
  });
  await enough(200);
  await work();
  await enough(seen.length + 200);
  isOver = true;
  await Promise.all(asking);
  return seen;
}

const rotated = async (force: boolean) => {
  const answer = await api(contract.rotateTokenKeys, { body: { force } });
  expect(answer).toMatchObject({ ok: true });
};
const keyOf = (client: Client): number | undefined => tokenKeyId(client.token()!);

describe('keys that are rotated while hundreds of clients ask', () => {
  it('turn nobody away who has a token of the key before, and no token but those of a key that was retired', async () => {
    expect(new Set(clients.map(keyOf))).toEqual(new Set([1]));
    const first = await underLoad(() => rotated(false));
    expect(first.length).toBeGreaterThan(400);
    expect(first.filter(({ byte, toKnock }) => byte !== '1' || toKnock)).toEqual([]);

    const renewed = clients.slice(0, 12);
    await Promise.all(renewed.map((client) => client.knock({ confirmed: node })));
    expect(renewed.map(keyOf)).toEqual(renewed.map(() => 2));

    let [begunAt, doneAt] = [0, 0];
    const second = await underLoad(async () => {
      begunAt = performance.now();
      await rotated(true);
      doneAt = performance.now();
    });
    const isRenewed = ({ client }: Seen): boolean => renewed.includes(client);
    expect(second.filter(({ byte }) => byte !== '1')).toEqual([]);
    expect(second.filter((one) => isRenewed(one) && one.toKnock)).toEqual([]);
    // Old ones hold until the rotation begins, and from the moment it is done not one does.
    const old = second.filter((one) => !isRenewed(one));
    expect(old.filter(({ answeredAt, toKnock }) => answeredAt < begunAt && toKnock)).toEqual([]);
    expect(old.filter(({ askedAt, toKnock }) => askedAt > doneAt && !toKnock)).toEqual([]);
    expect(old.filter(({ askedAt }) => askedAt > doneAt).length).toBeGreaterThan(50);
  });

  it('give a token of the newest key to whoever knocks, and leave everybody where it was', async () => {
    await Promise.all(clients.map((client) => client.knock({ confirmed: node })));
    expect(new Set(clients.map(keyOf))).toEqual(new Set([3]));
    const seen = await underLoad(async () => undefined);
    expect(seen.filter(({ byte, toKnock }) => byte !== '1' || toKnock)).toEqual([]);
  });
});
