import { beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import { Fqdn, NodeId } from '../../../../lib/core/ids.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { admissionExamples as examples } from '../../../../lib/openapi/admission-examples.ts';
import type { RunEnd, RunGiven } from '../../../../programs/cli/running.ts';
import { now as startedAt } from './a-terminal.ts';
import { against } from './against.ts';
import type { Answers, Received } from './fake-deployment.ts';
import { aNode, secondsAgo } from './views.ts';

const secret = 'mjt_4q1zk0w8r2tn_aQmW5yHc0Vd3kS7uJ9fLxPzB2nE6gRtYoIvKqN8wCs4_3d90aa';
const files: Readonly<Record<string, string>> = {
  hosts: 'ssu1.acme.org\nssu2.acme.org # the second\n\nssu3.acme.org\n',
  genders: 'ssu[1-2].acme.org ssu\ncmu.acme.org cmu\n',
  bad: 'localhost\n',
};

let now: number;
/** The hosts that call in, and how. */
let there: Map<string, Partial<NodeView>>;
/** The commands that were run, with what they were given. */
let commands: { readonly words: readonly string[]; readonly given: RunGiven }[];
let running: number;
let most: number;
beforeEach(() => {
  now = startedAt;
  there = new Map();
  commands = [];
  running = 0;
  most = 0;
});

/** A host whose command ends so; one that starts well calls in. */
const ends = (of: (host: string) => RunEnd) => async (words: readonly string[], given: RunGiven) => {
  commands.push({ words, given });
  const host = words.find((word) => word.includes('acme.org'))!;
  const end = of(host);
  if (end.ok) there.set(host, { status: 'joining' });
  return end;
};
const well: RunEnd = { ok: true, output: '' };

const answers = (given: Partial<Answers> = {}): Answers => ({
  listNodes: () => ({ items: [...there].map(([fqdn, more]) => aNode({ fqdn: Fqdn.parse(fqdn), ...more })) }),
  listNodePool: () => ({ items: [] }),
  admitHosts: ({ body }) => ({
    results: (body as { hosts: string[] }).hosts.map((host) => ({ host, done: false, because: 'no host of this name waits' })),
  }),
  createNodeToken: ({ body }: Received) => {
    const { nodes, kind, zone, expiresAt } = body as { nodes: string; kind: 'storage'; zone: string; expiresAt?: string };
    const token = { id: '4q1zk0w8r2tn', nodes, kind, zone, uses: 1, createdAt: secondsAgo(0), admitted: [] };
    return { secret, token: { ...token, expiresAt: expiresAt ?? secondsAgo(-3600), status: 'valid' } };
  },
  ...given,
});
const add = (line: string, run = ends(() => well), given?: Partial<Answers>) =>
  against(answers(given), `halon node add --zone lab ${line}`, {
    run,
    read: (path) => files[path],
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  });

describe('halon node add with --ssh', () => {
  it('starts the agent of each host that is not there, by a command with its own words, and waits for all', async () => {
    there.set('ssu2.acme.org', {});
    const { out, err, code } = await add('--hosts-from hosts --ssh');
    expect(out).toBe('ssu1.acme.org: it has called in\nssu2.acme.org: it is a node already\nssu3.acme.org: it has called in\n');
    expect([code, commands.map(({ words }) => words[5])]).toEqual([0, ['ssu1.acme.org', 'ssu3.acme.org']]);
    expect(commands[0]!.given).toEqual({ input: `${secret}\n`, timeoutMs: 60_000 });
    expect(commands[0]!.words.join(' ')).not.toContain(secret);
    expect(out + err).not.toContain(secret);
    expect(err).toMatch(/hosts get the address http:\/\/127\.0\.0\.1:\d+, which only this machine reaches/);
  });

  it('again finds all there and runs nothing', async () => {
    for (const n of [1, 2, 3]) there.set(`ssu${n}.acme.org`, {});
    expect(await add('--hosts-from hosts --ssh')).toMatchObject({ code: 0, routes: ['listNodes', 'listNodePool'] });
    expect(commands).toEqual([]);
  });

  it('makes a token for each host alone, which ends soon', async () => {
    const asked: unknown[] = [];
    const create = answers().createNodeToken!;
    await add(
      'ssu1.acme.org ssu2.acme.org --ssh',
      ends(() => well),
      {
        createNodeToken: (received) => {
          asked.push(received.body);
          return create(received);
        },
      },
    );
    const common = { kind: 'storage', zone: 'lab', uses: 1, expiresAt: '2026-05-01T12:10:00.000Z', anyWatch: false };
    expect(asked).toEqual([
      { nodes: 'ssu1.acme.org', ...common },
      { nodes: 'ssu2.acme.org', ...common },
    ]);
  });

  it('lets a host be watched elsewhere where that is said, and without it says so and prints no token', async () => {
    const asked: unknown[] = [];
    const admitHosts: Answers['admitHosts'] = ({ body }) => {
      const { anyWatch } = body as { anyWatch: boolean };
      asked.push(anyWatch);
      const needs = { done: false, needs: 'anyWatch', because: 'it is to be watched at 10.9.9.9:22' } as const;
      return { results: [{ host: 'ssu1.acme.org', ...(anyWatch ? { done: true, because: 'so it is' } : needs) }] };
    };
    const without = await add('ssu1.acme.org', undefined, { admitHosts });
    expect(without).toMatchObject({ code: 1, out: 'ssu1.acme.org failed to start: Timeout.\n' });
    expect(without.err).toContain('ssu1.acme.org is not let in: it is to be watched at 10.9.9.9:22');
    expect(without.routes).not.toContain('createNodeToken');
    expect(asked.splice(0)).toEqual([false, false]);

    await add('ssu1.acme.org ssu2.acme.org --any-watch', undefined, { admitHosts });
    expect(asked).toEqual([true]);
  });

  it('shows what a command that failed has printed, without the token, goes on with the others, and says so at the end', async () => {
    const run = ends((host) =>
      host.startsWith('ssu1') ? { ok: false, why: 'exit code 255', output: `+ echo ${secret}\nssu1: \u001b[1mno route to host\n` } : well,
    );
    const { out, err, code } = await add('--hosts-from hosts --ssh', run);
    expect(out).toMatch(/^ssu1\.acme\.org failed to start: exit code 255\nssu2\.acme\.org: it has called in\n/);
    expect(err).toContain('ssu1.acme.org: + echo <token>\nssu1.acme.org: ssu1: \\u{1b}[1mno route to host\n');
    expect(err).toContain('1 of 3 hosts have not joined');
    expect([code, (out + err).includes(secret)]).toEqual([1, false]);
  });

  it('says which hosts did not call in in time, and which wait for a majority of the stations', async () => {
    const run = ends(() => well);
    const quiet = async (...[words, given]: Parameters<typeof run>) => {
      const end = await run(words, given);
      if (words.includes('ssu1.acme.org')) there.set('ssu1.acme.org', { status: 'waiting' });
      if (words.includes('ssu2.acme.org')) there.delete('ssu2.acme.org');
      return end;
    };
    const before = now;
    const { out, code } = await add('--hosts-from hosts --ssh --wait 5s', quiet);
    expect(out).toBe(
      'ssu1.acme.org failed to start: it has called in, and waits for a majority of the stations\nssu2.acme.org failed to start: Timeout.\nssu3.acme.org: it has called in\n',
    );
    expect([code, now - before]).toEqual([1, 5000]);
  });

  it('runs sixteen commands at once at the most', async () => {
    const many = Array.from({ length: 40 }, (_, n) => `ssu${n}.acme.org`).join(' ');
    const full = Promise.withResolvers<void>();
    const run = ends(() => well);
    // Nobody ends before as many run as may, and a moment is left for one too many.
    const waiting = async (...given: Parameters<typeof run>) => {
      most = Math.max(most, ++running);
      if (running === 16) setTimeout(full.resolve, 50);
      await full.promise;
      running -= 1;
      return run(...given);
    };
    expect((await add(`${many} --ssh`, waiting)).code).toBe(0);
    expect([commands.length, most]).toEqual([40, 16]);
  });

  it('lets in those that wait in the pool with the keys that they have', async () => {
    const { err, code } = await add('ssu1.acme.org ssu2.acme.org', undefined, {
      admitHosts: ({ body }) => {
        const { hosts } = body as { hosts: string[] };
        for (const host of hosts) there.set(host, {});
        return { results: hosts.map((host) => ({ host, done: true, because: 'admitted into zone lab' })) };
      },
    });
    expect([code, commands.length]).toEqual([0, 0]);
    expect(err).toContain('ssu1.acme.org is let in: admitted into zone lab\n');
  });
});

describe('halon node add of a host that was reinstalled', () => {
  const waits = examples.listNodePool.reply.items[0]!;
  const before = new Date(Date.parse(waits.firstSeenAt) - 60_000).toISOString();
  const installedBefore = { ...waits, fp: 'f'.repeat(64), fingerprint: 'ff:ff', firstSeenAt: before };
  const listNodePool = () => ({ items: [waits, installedBefore].map((one) => ({ ...one, fqdn: 'ssu1.acme.org' })) });

  it.each([
    ['up', 'run this once that node is down'],
    ['down', 'run'],
  ] as const)('while the node that it was is %s › says so, and the command that mends it', async (status, then) => {
    const node = aNode({ status });
    there.set('ssu1.acme.org', { status });
    const { out, code, routes } = await add('ssu1.acme.org', undefined, { listNodePool });
    expect(out).toBe(
      `ssu1.acme.org failed to start: node ${node.id} of this name is ${status}, and a machine with another key waits in the pool under the same name. If the host was reinstalled, ${then}: muster node replace ssu1.acme.org ${waits.fingerprint}\n`,
    );
    expect([code, routes.filter((route) => route === 'admitHosts' || route === 'createNodeToken')]).toEqual([1, []]);
  });

  it('and given up or removed › lets it in', async () => {
    for (const gone of [{ status: 'dropped' }, { status: 'down', removedAt: secondsAgo(5) }] as const) {
      there.set('ssu1.acme.org', gone);
      const admitHosts: Answers['admitHosts'] = () => {
        there.set('ssu1.acme.org', { id: NodeId.parse(`n${waits.fp.slice(0, 16)}`), joinedAt: secondsAgo(0) });
        return { results: [{ host: 'ssu1.acme.org', done: true, because: 'admitted into zone lab' }] };
      };
      expect(await add('ssu1.acme.org', undefined, { listNodePool, admitHosts })).toMatchObject({ code: 0 });
    }
  });
});

describe('halon node add of a host that was replaced', () => {
  it('finds the node that has its name now, and lets in no machine that waited before that', async () => {
    const waits = examples.listNodePool.reply.items[0]!;
    const replaced = aNode({ fqdn: Fqdn.parse('ssu1.acme.org'), status: 'down', removedAt: secondsAgo(5) });
    const now = {
      ...replaced,
      id: NodeId.parse('nffffffffffffffff'),
      status: 'up',
      removedAt: undefined,
      joinedAt: secondsAgo(4),
    } as const;
    const listNodePool = () => ({ items: [{ ...waits, fqdn: 'ssu1.acme.org', firstSeenAt: secondsAgo(60) }] });
    for (const items of [
      [now, replaced],
      [replaced, now],
    ]) {
      const { out, code, routes } = await add('ssu1.acme.org', undefined, { listNodePool, listNodes: () => ({ items }) });
      expect([code, out]).toEqual([0, 'ssu1.acme.org: it is a node already\n']);
      expect(routes).not.toContain('admitHosts');
    }
  });
});

describe('halon node add --dry-run', () => {
  it('prints the commands, with the token hidden, and calls nothing that changes anything', async () => {
    there.set('ssu2.acme.org', {});
    const { out, code, routes } = await add('--hosts-from genders --attribute ssu -n --ssh', undefined);
    expect(out).toMatch(/^# ssu2\.acme\.org has called in already\nssh -o BatchMode=yes .* ssu1\.acme\.org sudo sh -c .*\n$/);
    expect([code, routes]).toEqual([0, ['listNodes']]);
  });

  it('hides the token among the words, too', async () => {
    expect(await add('ssu1.acme.org -n --ssh={host}--{token}')).toMatchObject({ out: "'ssu1.acme.org--<token>'\n", routes: ['listNodes'] });
  });

  it('says who would be let in where there is no command', async () => {
    expect(await add('ssu1.acme.org ssu2.acme.org -n --json')).toMatchObject({ code: 0, routes: ['listNodes'] });
    expect((await add('ssu1.acme.org -n')).out).toBe(
      '# ssu1.acme.org would be let in if it waits in the pool; the command would wait for it\n',
    );
  });
});

describe('halon node add of what cannot be', () => {
  it.each([
    ['', 2, 'no hosts are given'],
    ['--hosts-from nothing', 2, 'nothing does not exist, or you may not read it'],
    ['--hosts-from bad', 1, 'bad:1: localhost is not a host name'],
    ['ssu1.acme.org --hosts-from hosts', 2, 'give either hosts or --hosts-from'],
    ['--attribute ssu ssu1.acme.org', 2, '--attribute needs --hosts-from'],
    ['localhost', 2, 'the name of a host'],
    ['ssu1.acme.org --wait long', 2, 'a span such as'],
    ['--hosts-from hosts --ssh=true', 2, 'contains {host}'],
    ['--hosts-from hosts --ssh={host}{password}', 2, '{password} is unknown'],
  ])('halon node add %s › is refused', async (line, code, says) => {
    const result = await add(line);
    expect(result).toMatchObject({ code, routes: [] });
    expect(result.err).toContain(says);
  });

  it('stops when no token is given for it', async () => {
    const refuse = () => {
      throw new Refusal('insufficient-scope', 'the scope admin is needed');
    };
    expect(await add('ssu1.acme.org ssu2.acme.org --ssh', undefined, { createNodeToken: refuse })).toMatchObject({ code: 77 });
    expect(commands).toEqual([]);
  });
});

describe('halon station with --ssh', () => {
  const view = {
    zone: 'lab',
    stations: [],
    quorum: { heard: 0, needed: 0, quorate: false },
    epoch: 0,
    done: true,
    because: 'The following nodes joined successfully: ssu1.acme.org, ssu2.acme.org',
  };
  const station = (line: string, given?: Partial<Answers>) =>
    against(answers({ putStations: () => view, listZones: () => ({ items: [] }), ...given }), `halon station --zone lab ${line}`, {
      run: ends(() => well),
      read: (path: string) => files[path],
      now: () => now,
      sleep: async () => undefined,
    });

  it('names the set first, then starts the agents of its hosts', async () => {
    const { out, err, code, routes } = await station('--hosts-from genders --attribute ssu --ssh');
    expect([code, out]).toEqual([0, 'ssu1.acme.org: it has called in\nssu2.acme.org: it has called in\n']);
    expect(err).toContain('joined successfully');
    expect(routes[0]).toBe('putStations');
    expect(commands).toHaveLength(2);
  });

  it('says what it would do, and names nobody', async () => {
    const { err, routes } = await station('--hosts-from genders --attribute ssu --ssh -n');
    expect(err).toContain('the stations of zone lab would be ssu1.acme.org, ssu2.acme.org\n');
    expect(routes).toEqual(['listZones', 'listNodes']);
  });

  it('starts nobody where the set is refused', async () => {
    const refuse = () => {
      throw new Refusal('stations-differ', 'ts9.acme.org is in the set and not in the list');
    };
    const { code, err } = await station('--hosts-from hosts --ssh', { putStations: refuse });
    expect([code, commands.length]).toEqual([1, 0]);
    expect(err).toContain('ts9.acme.org is in the set and not in the list');
  });

  it.each(['--ssh', '--wait 5s ssu1.acme.org', '--self --hosts-from hosts --ssh', '-n'])('refuses halon station %s', async (line) => {
    expect(await station(line)).toMatchObject({ code: 2, routes: [] });
  });
});
