import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import type { SystemActionView } from '../../../../lib/clients/actions/routes.ts';
import { firstActionNumber } from '../../../../lib/core/ids.ts';
import { ran } from './a-terminal.ts';
import { type Answers, FakeDeployment, NoAnswer } from './fake-deployment.ts';
import { aSystem, fingerprintOf } from './views.ts';

const action = firstActionNumber + 17;
const at = '2026-05-01T11:58:00.000Z';
const result = (n: number, done = true) => ({
  fp: fingerprintOf(n),
  done,
  because: done ? 'ordered at node1.acme.org' : 'not accepted yet',
});
const found = {
  ...{ items: [aSystem(1), aSystem(2)], total: 2, query: 'web*', plan: [], facets: [], asOf: at },
  expect: { total: 2, digest: 'A'.repeat(43), at },
};
/** The calls of an order by a query for two client systems. */
const byQuery = ({ body }: { readonly body: unknown }) =>
  (body as { cursor?: string }).cursor === undefined
    ? { results: [], systems: 0, next: `${action}.one`, left: 2 }
    : { results: [result(1), result(2)], systems: 2, action, left: 0 };
const named = { results: [result(1)], systems: 1, action };

/** What a line prints against a deployment with these answers, and the bodies of its orders. */
async function against(words: readonly string[], answers: Answers = {}) {
  const fake = await FakeDeployment.start({ findSystems: () => found, actOnSystems: () => named, ...answers });
  const printed = await ran(words, {
    env: { MUSTER_ENDPOINT: fake.url },
    ask: async () => 'y',
    read: (path) => (path === 'fix.sh' ? '#!/bin/sh\nfix\n' : undefined),
  });
  await fake.stop();
  const sent = fake.received.filter(({ route }) => route === 'actOnSystems').map(({ received }) => received);
  return { ...printed, orders: sent.map(({ body }) => body), keys: sent.map(({ headers }) => headers['idempotency-key']) };
}

const whole = fingerprintOf(1);
const told = `action ${action}: see how far it has come with system act show ${action}\n`;

describe('system act', () => {
  it.each([
    [['highstate'], { do: 'highstate', test: false }],
    [['highstate', '--test'], { do: 'highstate', test: true }],
    [['packages'], { do: 'packages' }],
    [['reboot'], { do: 'reboot' }],
    [['errata', '--advisory', 'SUSE-1', '--advisory', 'SUSE-2'], { do: 'errata', advisories: ['SUSE-1', 'SUSE-2'] }],
    [['command', '--run', 'uptime'], { do: 'command', script: '#!/bin/sh\nuptime\n', user: 'root', group: 'root', timeoutSeconds: 600 }],
    [
      ['command', '--script', 'fix.sh', '--user', 'app', '--group', 'app', '--timeout', '5m'],
      { do: 'command', script: '#!/bin/sh\nfix\n', user: 'app', group: 'app', timeoutSeconds: 300 },
    ],
  ] as const)('%j › orders that, and says under which number', async (words, ordered) => {
    const { orders, err, code } = await against(['system', 'act', ...words, whole]);
    expect(orders).toEqual([{ systems: [whole], action: ordered }]);
    expect({ err, code }).toEqual({ err: `1 ordered\n${told}`, code: 0 });
  });

  it('orders all that match a query as one action, whose number programs read', async () => {
    const { out, err, orders, code } = await against(['system', 'act', 'reboot', '--query', 'web*', '--json'], { actOnSystems: byQuery });
    expect({ err, code }).toEqual({ err: `2 ordered\n${told}`, code: 0 });
    expect(JSON.parse(out)).toEqual({ actions: [action], results: [result(1), result(2)] });
    expect(orders).toHaveLength(2);
  });

  it('makes a call whose answer was lost again, under the same key, and another command has another', async () => {
    let calls = 0;
    const lost: Answers = {
      actOnSystems: () => {
        calls += 1;
        if (calls === 1) throw new NoAnswer();
        if (calls === 2) throw new Refusal('in-progress', 'a call with this Idempotency-Key is still being answered: try again later');
        return named;
      },
    };
    const { keys, code, err } = await against(['system', 'act', 'reboot', whole], lost);
    expect({ code, err }).toEqual({ code: 0, err: `1 ordered\n${told}` });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    const other = await against(['system', 'act', 'reboot', whole]);
    expect(other.keys[0]).not.toBe(keys[0]);
  });

  it('says by which key it can be repeated where no answer comes, and takes that key', async () => {
    const never: Answers = {
      actOnSystems: () => {
        throw new NoAnswer();
      },
    };
    const { keys, code, err } = await against(['system', 'act', 'reboot', whole], never);
    expect(code).toBe(69);
    expect(keys).toHaveLength(3);
    const [, key = ''] = /--key (\S+), which orders nothing twice/.exec(err) ?? [];
    expect((await against(['system', 'act', 'reboot', '--key', key, whole])).keys).toEqual([keys[0]]);
  });

  it('has a key of its own for each 200 client systems that are named, and none for a query', async () => {
    const many = Array.from({ length: 201 }, (_, n) => fingerprintOf(n));
    const { keys } = await against(['system', 'act', 'reboot', '--key', 'patch-day', ...many]);
    expect(keys).toEqual(['patch-day.0', 'patch-day.1']);
    const queried = await against(['system', 'act', 'reboot', '--query', 'web*'], { actOnSystems: byQuery });
    expect(queried.keys).toEqual([undefined, undefined]);
  });

  it('says that nothing is carried out when the order does not come to its end', async () => {
    const { err, code } = await against(['system', 'act', 'reboot', '--query', 'web*'], {
      actOnSystems: (received) => {
        if ((received.body as { cursor?: string }).cursor !== undefined) throw new Refusal('matches-changed', '1 match now');
        return byQuery(received);
      },
    });
    expect(code).toBe(1);
    expect(err).toContain('nothing is carried out: the order has not come to its end\n');
  });

  it('says where to look when it breaks off after client systems were added: its last answer may have been lost', async () => {
    let calls = 0;
    const { err, code } = await against(['system', 'act', 'reboot', '--query', 'web*'], {
      actOnSystems: (received) => {
        if (++calls === 3) throw new Refusal('matches-changed', '1 match now');
        return calls === 2 ? { results: [result(1)], systems: 1, action, next: `${action}.two`, left: 1 } : byQuery(received);
      },
    });
    expect(code).toBe(1);
    expect(err).toContain(
      `action ${action} has not come to its end: see with system act show ${action} whether it was ordered all the same\n`,
    );
  });

  it('fails where a client system is left out', async () => {
    const { code, err } = await against(['system', 'act', 'reboot', whole], {
      actOnSystems: () => ({ ...named, results: [result(1), result(2, false)] }),
    });
    expect(code).toBe(1);
    expect(err).toContain(told);
  });

  it.each([
    [['command', whole], 'needs either --run or --script'],
    [['command', '--run', 'uptime', '--script', 'fix.sh', whole], 'needs either --run or --script'],
    [['command', '--script', 'none.sh', whole], 'none.sh does not exist'],
    [['command', '--run', 'uptime', '--user', 'Root!', whole], 'user is not valid: the name of a user or group'],
    [['command', '--run', 'uptime', '--timeout', '2d', whole], 'timeoutSeconds is not valid'],
    [['errata', whole], '--advisory'],
    [['errata', '--advisory', 'a b', whole], 'advisories.0 is not valid: the name of an advisory'],
    [['reboot'], 'either fingerprints or --query'],
    [['reboot', '--key', 'a b', whole], '150 characters of ASCII'],
    [['reboot', '--key', 'patch-day', '--query', 'web*'], '--key is for fingerprints'],
    [['show', '17'], 'ten digits'],
  ] as const)('%j › is refused before anything is ordered', async (words, why) => {
    const { orders, err, code } = await against(['system', 'act', ...words]);
    expect(orders).toEqual([]);
    expect(err).toContain(why);
    expect(code).toBe(2);
  });
});

describe('system act cancel', () => {
  it('says how many client systems are cancelled, and how many were not', async () => {
    const words = ['system', 'act', 'cancel', String(action)];
    const some = await against(words, { cancelSystemAction: () => ({ cancelled: 12, others: 1 }) });
    expect(some.out).toBe(`12 client systems cancelled; 1 client system not: see system act show ${action}\n`);
    const all = await against([...words, '--json'], { cancelSystemAction: () => ({ cancelled: 1, others: 0 }) });
    expect(JSON.parse(all.out)).toEqual({ cancelled: 1, others: 0 });
    expect(all.code).toBe(0);
  });

  it('asks before', async () => {
    const fake = await FakeDeployment.start({ cancelSystemAction: () => ({ cancelled: 12, others: 1 }) });
    const env = { MUSTER_ENDPOINT: fake.url };
    const { code, err } = await ran(['system', 'act', 'cancel', String(action)], { env, ask: async () => 'n' });
    await fake.stop();
    expect({ code, err }).toEqual({ code: 1, err: 'muster: nothing was done\n' });
    expect(fake.received).toEqual([]);
  });
});

describe('system act show', () => {
  const counts = { done: 1, failed: 1, left: 0, unknown: 0, cancelled: 0 };
  const view: SystemActionView = {
    ...{ number: action, what: { do: 'highstate', test: false }, by: 'admin:ada', orderedAt: at, until: at, expiresAt: at },
    ...{ state: 'under-way', systems: 3, inProgress: 1, ...counts },
    nodes: [
      { node: aSystem(1).node!.id, fqdn: aSystem(1).node!.fqdn!, state: 'scheduled', at, id: 4711, systems: 3, inProgress: 1, ...counts },
    ],
    examples: [{ fp: fingerprintOf(2), fqdn: aSystem(2).fqdn, is: 'failed', why: 'no space left\u001b[2J' }],
    others: 7,
  };

  it('shows each node, and why client systems have failed', async () => {
    const { out, code } = await against(['system', 'act', 'show', String(action)], { systemAction: () => view });
    expect(code).toBe(0);
    expect(out).toContain('3: 1 done, 1 failed, 1 in progress');
    expect(out).toContain('2m ago), by admin:ada');
    expect(out).toMatch(/scheduled +1 of 3 +1 +4711/);
    expect(out).toMatch(/web2\.acme\.org +failed +no space left/);
    expect(out).toMatch(/\nand 7 more\n$/);
    expect(out).not.toContain('\u001b[2J');
  });
});
