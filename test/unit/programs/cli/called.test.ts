import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../../../programs/cli/exit-codes.ts';
import { ran } from './a-terminal.ts';
import { against } from './against.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { aNode, aZone } from './views.ts';

const nodes = { listNodes: () => ({ items: [aNode(), aNode({ fqdn: 'node8.acme.org' as never, status: 'down' })] }) };

describe('a list', () => {
  it('is names alone with -o name, one a line', async () => {
    expect(await against({ ...nodes }, 'node list --zone default -o name')).toMatchObject({
      out: 'node7.acme.org\nnode8.acme.org\n',
      err: '',
    });
  });

  it('is YAML or JSON with -o, and nothing is said beside it', async () => {
    const yaml = await against({ ...nodes }, 'node list -o yaml');
    expect(yaml.out).toMatch(/^- id: /);
    expect(yaml.out).toContain('fqdn: node8.acme.org\n');
    expect(yaml.err).toBe('');
    const [json, option] = [await against({ ...nodes }, 'node list -o json'), await against({ ...nodes }, 'node list --json')];
    expect(json.out).toBe(option.out);
  });

  it('has more columns with -o wide, where there are more', async () => {
    const [wide, option] = [
      await against({ ...nodes }, 'node list --zone default -o wide'),
      await against({ ...nodes }, 'node list --zone default --wide'),
    ];
    expect(wide.out).toBe(option.out);
    expect(await against({ listZones: () => ({ items: [aZone()] }) }, 'zone list -o wide')).toMatchObject({
      out: '',
      code: exitCodes.usage,
      err: 'muster: list has no further columns. Leave out -o wide, or give -o json\n',
    });
  });

  it('of a format that there is not is refused', async () => {
    expect(await ran('node list -o csv')).toMatchObject({ code: exitCodes.usage });
  });
});

describe('one thing', () => {
  it('is its name with -o name', async () => {
    expect(await against({ getNode: () => aNode() }, 'node show node7.acme.org -o name')).toMatchObject({ out: 'node7.acme.org\n' });
  });
});

describe('--watch', () => {
  it('shows it again and again until it fails or is ended', async () => {
    const slept: number[] = [];
    const sleep = async (ms: number) => {
      slept.push(ms);
      if (slept.length === 3) throw new Error('ended');
    };
    const fake = await FakeDeployment.start({ getNode: () => aNode() });
    slept.length = 0;
    await expect(ran('node show node7.acme.org --watch 5', { sleep, env: { MUSTER_ENDPOINT: fake.url } })).rejects.toThrow('ended');
    await fake.stop();
    expect(slept).toEqual([5_000, 5_000, 5_000]);
    expect(fake.received).toHaveLength(3);
  });

  it('shows again what a query finds', async () => {
    const sleep = async () => {
      throw new Error('ended');
    };
    const found = { items: [], total: 0, query: 'web*', plan: [], facets: [], asOf: '2026-05-01T12:00:00Z' };
    const fake = await FakeDeployment.start({ findSystems: () => found });
    await expect(ran('system find web* --watch', { sleep, env: { MUSTER_ENDPOINT: fake.url } })).rejects.toThrow('ended');
    expect(await ran('system find web* -o json', { env: { MUSTER_ENDPOINT: fake.url } })).toMatchObject({ out: '[]\n', code: 0 });
    await fake.stop();
  });

  it('takes no verb that changes anything, and no span that is none', async () => {
    expect(await ran('node drop node7.acme.org --watch')).toMatchObject({ code: exitCodes.usage });
    expect(await ran('node list --watch 0.1')).toMatchObject({ code: exitCodes.usage });
  });
});

describe('a verb by the name that it had before', () => {
  it.each([
    ['dlq ls', 'dlq list'],
    ['audit ls', 'audit list'],
    ['webhook add --help', 'webhook create --help'],
    ['node rule add --help', 'node rule create --help'],
    ['system metadata rm --help', 'system metadata delete --help'],
  ])('%s does what %s does, and no help names it', async (before, now) => {
    const answers = { listDeadLetters: () => ({ items: [] }), listAudit: () => ({ items: [] }) };
    expect(await against(answers, before)).toEqual(await against(answers, now));
    const noun = now
      .split(' ')
      .slice(0, -1)
      .filter((word) => !word.startsWith('--'))
      .join(' ');
    const former = before.replace(' --help', '').split(' ').at(-1)!;
    expect((await ran(`${noun.replace(/ (list|create|delete)$/, '')} --help`)).out).not.toMatch(
      new RegExp(`^  (\\S+\\|)?${former}\\b`, 'm'),
    );
  });
});

describe('the zone of commands', () => {
  const asked = async (line: string, env: Record<string, string> = {}) => {
    const fake = await FakeDeployment.start(nodes);
    await ran(line, { env: { MUSTER_ENDPOINT: fake.url, ...env } });
    await fake.stop();
    return fake.received.map(({ received }) => (received.query as { zone?: string }).zone).find((zone) => zone !== undefined);
  };

  it('is that of MUSTER_ZONE, where none is named', async () => {
    expect(await asked('node list', { MUSTER_ZONE: 'emea' })).toBe('emea');
    expect(await asked('node list --zone apac', { MUSTER_ZONE: 'emea' })).toBe('apac');
    expect(await asked('node list')).toBeUndefined();
  });

  it('limits nothing that is made unasked, and is refused when it is no zone', async () => {
    const fake = await FakeDeployment.start({ createKey: () => ({ id: 'k', secret: 's', key: {} }) as never });
    await ran('key create ci --scope read', { env: { MUSTER_ENDPOINT: fake.url, MUSTER_ZONE: 'emea' } });
    await fake.stop();
    expect(JSON.stringify(fake.received.map(({ received }) => received.body))).not.toContain('emea');
    expect(await ran('node list', { env: { MUSTER_ZONE: 'No Zone' } })).toMatchObject({ code: exitCodes.usage });
  });
});

describe('a failure with --json', () => {
  it('is JSON, too, with the problem, what to do, and the exit code', async () => {
    const { out, err, code } = await ran('zone show emea --json', { env: { MUSTER_ENDPOINT: 'nonsense' } });
    expect({ out, err: JSON.parse(err), code }).toEqual({
      out: '',
      err: {
        error: {
          message: 'nonsense is not a valid address of a deployment',
          advice: 'Give one such as http://127.0.0.1:8080 with --endpoint or MUSTER_ENDPOINT',
          exitCode: exitCodes.usage,
        },
      },
      code: exitCodes.usage,
    });
  });
});

describe('contexts', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'muster-contexts-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const typed = (line: string, env: Record<string, string> = {}) => ran(line, { env: { HOME: home, ...env } });

  it('are named, used, listed and forgotten', async () => {
    expect(await typed('context create emea --endpoint https://muster.example.com --zone emea')).toMatchObject({
      out: 'emea is the current context: https://muster.example.com, zone emea\n',
    });
    await typed('context create lab --endpoint http://127.0.0.1:9999');
    expect((await typed('context list')).out).toBe(
      [
        'CONTEXT  CURRENT  ENDPOINT                    ZONE',
        'emea     -        https://muster.example.com  emea',
        'lab      yes      http://127.0.0.1:9999       -',
        '',
      ].join('\n'),
    );
    expect(await typed('context use emea')).toMatchObject({ code: 0 });
    expect(await typed('context delete lab')).toMatchObject({ code: 0 });
    expect((await typed('context list -o name')).out).toBe('emea\n');
    expect(await typed('context use lab')).toMatchObject({
      code: exitCodes.usage,
      err: 'muster: unknown context lab. List the contexts: context list\n',
    });
    if (process.platform !== 'win32') expect(statSync(join(home, '.config/muster/contexts.json')).mode & 0o077).toBe(0);
  });

  it('say where the deployment is and which zone it is about, unless the command line or the environment does', async () => {
    const fake = await FakeDeployment.start(nodes);
    await typed(`context create here --endpoint ${fake.url} --zone emea`);
    await typed('node list');
    await typed('node list --zone apac');
    await typed('node list', { MUSTER_CONTEXT: 'here', MUSTER_ZONE: 'lab' });
    await fake.stop();
    expect(fake.received.map(({ received }) => (received.query as { zone?: string }).zone)).toEqual(['emea', 'apac', 'lab']);
    expect(await typed('node list --context gone')).toMatchObject({ code: exitCodes.usage });
  });
});

describe('a call by method and path', () => {
  it('prints what the API answers, and fails as any command does', async () => {
    const fake = await FakeDeployment.start({ ...nodes });
    const env = { MUSTER_ENDPOINT: fake.url, MUSTER_TOKEN: 'secret' };
    const listed = await ran('api get nodes?limit=2', { env });
    expect(JSON.parse(listed.out)).toEqual(JSON.parse(JSON.stringify(nodes.listNodes())));
    const refused = await ran('api GET zones/gone', { env });
    await fake.stop();
    expect(refused.code).not.toBe(exitCodes.done);
    expect(refused.err).toMatch(/^muster: GET \/api\/v1\/zones\/gone was answered \d{3}\n$/);
  });

  it('is to the deployment alone', async () => {
    expect(await ran('api GET https://elsewhere.example.com/')).toMatchObject({ code: exitCodes.usage });
    expect(await ran('api TRACE zones')).toMatchObject({ code: exitCodes.usage });
    expect(await ran(['api', 'GET', 'zones', '--header', 'nonsense'])).toMatchObject({ code: exitCodes.usage });
  });

  it('with nobody there says so', async () => {
    expect(await ran('api GET zones', { env: { MUSTER_ENDPOINT: 'http://127.0.0.1:9' } })).toMatchObject({ code: exitCodes.unreachable });
  });
});

describe('events', () => {
  let server: Server;
  const event = (n: number, type: string) =>
    `id: ${n}.0\ndata: ${JSON.stringify({ id: `node/n${n}#1`, type, subject: `node/n${n}`, time: '2026-05-01T12:00:00.000Z', data: { n } })}\n\n`;
  const serve = async (answer: (last: string | undefined) => readonly string[] | number): Promise<string> => {
    server = createServer((request, response) => {
      const parts = answer(request.headers['last-event-id'] as string | undefined);
      if (typeof parts === 'number') response.writeHead(parts).end();
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const part of parts) response.write(part);
      }
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('are shown as they come, those of some types alone, and cut anywhere on their way', async () => {
    const all = [event(1, 'node.joined'), event(2, 'zone.recovered'), event(3, 'node.activated')].join('');
    const url = await serve(() => [': begins\n\n', all.slice(0, 50), all.slice(50)]);
    expect(await ran('events --type node. --count 2', { env: { MUSTER_ENDPOINT: url } })).toMatchObject({
      code: exitCodes.done,
      out: [
        '2026-05-01T12:00:00Z  node.joined               node/n1  {"n":1}',
        '2026-05-01T12:00:00Z  node.activated            node/n3  {"n":3}',
        '',
      ].join('\n'),
    });
  });

  it('go on after one that was read', async () => {
    const url = await serve((last) => [event(Number(last?.split('.')[0]) + 1, 'node.joined')]);
    const { out } = await ran('events --after 7.0 --count 1 --json', { env: { MUSTER_ENDPOINT: url } });
    expect(JSON.parse(out)).toMatchObject({ streamId: '8.0', type: 'node.joined' });
  });

  const told = (n: number, because?: string) => ({
    specversion: '1.0' as const,
    id: `node/n1#${n}`,
    source: 'muster/acme',
    type: 'node.lost',
    subject: 'node/n1',
    time: `2026-05-01T11:5${n}:00.000Z`,
    dataschema: 'muster:node.lost:1',
    datacontenttype: 'application/json' as const,
    eventseq: n,
    ...(because !== undefined && { because }),
    data: { n },
  });
  /** A deployment without a stream, whose journal has these pages. */
  const journalOf = async (...pages: readonly { items: object[]; more: boolean }[]) => {
    let n = 0;
    return FakeDeployment.start({
      listChanges: () => {
        n += 1;
        return { ...(pages[n - 1] ?? { items: [], more: false }), next: `cursor-${n}` };
      },
    });
  };
  const queries = (fake: FakeDeployment) => fake.received.map(({ received }) => received.query);

  it('of the last minutes are those of the journal, with their reasons, page by page', async () => {
    const fake = await journalOf({ items: [told(1, 'its lease ran out')], more: true }, { items: [told(2)], more: false });
    expect(await ran('events --since 10m --no-follow', { env: { MUSTER_ENDPOINT: fake.url } })).toMatchObject({
      code: exitCodes.done,
      out: [
        '2026-05-01T11:51:00Z  node.lost                 node/n1  {"n":1}  because its lease ran out',
        '2026-05-01T11:52:00Z  node.lost                 node/n1  {"n":2}',
        '',
      ].join('\n'),
    });
    expect(queries(fake)).toEqual([
      { since: '2026-05-01T11:50:00.000Z', limit: 200 },
      { after: 'cursor-1', limit: 200 },
    ]);
    await fake.stop();
  });

  it('of a deployment that streams none are asked for again and again', async () => {
    const slept: number[] = [];
    const fake = await journalOf({ items: [], more: false }, { items: [], more: false }, { items: [told(1)], more: false });
    const sleep = async (ms: number) => void slept.push(ms);
    const { out } = await ran('events --count 1 --json', { env: { MUSTER_ENDPOINT: fake.url }, sleep });
    expect(JSON.parse(out)).toEqual(told(1));
    expect(slept).toEqual([3_000, 3_000]);
    expect(queries(fake)).toEqual([{ limit: 200 }, { after: 'cursor-1', limit: 200 }, { after: 'cursor-2', limit: 200 }]);
    await fake.stop();
  });

  it('cannot be continued in two ways, nor without a stream by an id of one', async () => {
    const fake = await journalOf();
    const env = { MUSTER_ENDPOINT: fake.url };
    expect(await ran('events --since 10m --after 7.0', { env })).toMatchObject({ code: exitCodes.usage });
    expect(await ran('events --no-follow', { env })).toMatchObject({ code: exitCodes.usage });
    expect(await ran('events --after 7.0', { env })).toMatchObject({
      code: exitCodes.failed,
      err: 'muster: this deployment has no stream of events to continue; only an embedded host has one. Begin at a moment with --since\n',
    });
    await fake.stop();
  });
});

describe('a rate that follows what a node bears', () => {
  const rate = {
    ...{ everyMs: 2_100, adapts: true, because: 'it bears that: first jobs take 9 s' },
    ...{ readyMs: { median: 7_000, p90: 9_000 }, waiting: 3 },
  };

  it('is shown with its reason', async () => {
    const { out } = await against({ getNode: () => aNode({ rate }) }, 'node show node7.acme.org');
    expect(out).toContain(
      'one per 2.1s: it bears that: first jobs take 9 s; the first job after 7s, for nine of ten after 9s; 3 wait for theirs\n',
    );
    const free = { everyMs: 0, adapts: false, because: 'nodes of its kind admit any number at once' };
    const storage = await against({ getNode: () => aNode({ rate: free }) }, 'node show node7.acme.org');
    expect(storage.out).toContain('any number at once: nodes of its kind admit any number at once\n');
  });

  it('is listed in a column of its own', async () => {
    const items = [aNode({ rate }), aNode({ admitEveryMs: 0 }), aNode()];
    const { out } = await against({ listNodes: () => ({ items }) }, 'node list --zone default --wide');
    expect(out.match(/(1\/2\.1s|free|-) {2,}1 {2,}\d/g)).toHaveLength(3);
  });

  it('is set for a zone', async () => {
    const view = aZone({ admission: 'adapts', admitAtMostEveryMs: 500, readyWithinMs: 120_000 });
    const { out } = await against({ editZone: () => view }, 'zone set default --admission adapts --admit-ceiling 500ms');
    expect(out).toContain(
      'nodes admit as fast as they bear, once measured for an hour: at most one per 500ms, with first jobs within 2m\n',
    );
  });
});
