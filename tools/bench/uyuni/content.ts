import type { EpochMs } from '../../../lib/core/time.ts';
import { type Content, treeOf } from '../../../lib/uyuni/content/content.ts';
import { type ContentDocument, hashOfEntry, inNormalForm } from '../../../lib/uyuni/content/document.ts';
import { ContentTree, differencesTo, type HashedEntry } from '../../../lib/uyuni/content/tree.ts';
import { serverApi } from '../../../programs/agent/uyuni/api/server-api.ts';
import { isPost } from '../../../programs/agent/uyuni/content/commands.ts';
import { Copy, contentOf, understood } from '../../../programs/agent/uyuni/content/copy.ts';
import { administrator, type PlayedServer, startServer } from '../../support/uyuni/played-server.ts';
import type { Figure } from '../report/figure.ts';
import { program } from '../report/program.ts';
import { median, spread } from '../rounds.ts';

const rounds = 5;
const entries = 50_000;
/** Pairs of an import and its bare calls, each on an empty server. */
const pairs = 3;

const seconds = (ms: number): number => ms / 1000;

/** Documents of the size of an activation key, with hashes and tree, as a node does them for its digest. */
function digest(): { readonly tookS: number; readonly tree: ContentTree } {
  const documents = Array.from({ length: entries }, (_, n) => aKey(n));
  const startedAt = performance.now();
  const hashed = documents.map((document, n): HashedEntry => {
    const entry = { kind: 'activation-key', key: `key-${n}`, document };
    return { kind: entry.kind, key: entry.key, hash: hashOfEntry(entry) };
  });
  const tree = new ContentTree(hashed);
  if (tree.root.length !== 64) throw new Error('a tree has a root');
  return { tookS: seconds(performance.now() - startedAt), tree };
}

async function questions(tree: ContentTree): Promise<number> {
  const changed = new ContentTree(tree.under('').map((one) => (one.key === 'key-31337' ? { ...one, hash: 'another' } : one)));
  let asked = 0;
  const found = await differencesTo(tree, async (path) => {
    asked++;
    return changed.at(path);
  });
  if (found.length !== 1) throw new Error(`${found.length} differences were found, and there is one`);
  return asked;
}

const named = (count: number, prefix: string, of: (n: number) => object): ReadonlyMap<string, ContentDocument> =>
  new Map(Array.from({ length: count }, (_, n) => [`${prefix}-${n}`, inNormalForm(of(n))]));

/** The nth base channel has nine children. */
const aChannel = (n: number) => ({
  ...{ name: `Channel ${n}`, summary: `Packages of ${n}`, description: '', arch: 'channel-x86_64', checksum: 'sha256' },
  parent: n < 50 ? null : `channel-${n % 50}`,
  gpg: { url: 'https://mirror.acme.test/key', id: '1A2B3C4D', fingerprint: '', check: true },
  maintainer: { name: 'Acme', email: 'linux@acme.test', phone: '' },
  repositories: n < 100 ? [`repository-${n}`] : [],
});

const aKey = (n: number) => ({
  ...{ description: `Systems of site ${n}`, baseChannel: `channel-${n % 50}`, usageLimit: null, contactMethod: 'default' },
  childChannels: [1, 2, 3].map((part) => `channel-${(n % 50) + 50 * part}`).sort(),
  ...{ entitlements: ['monitoring_entitled'], groups: [`group-${n % 50}`], packages: [{ name: 'vim' }, { name: 'zypper' }] },
  ...{ configurationChannels: [`configuration-${n % 20}`], deploysConfiguration: true, universalDefault: false, disabled: false },
});

const aProject = (n: number) => ({
  ...{ name: `Project ${n}`, description: 'From development to production', filters: [`filter-${n % 100}`] },
  sources: [n % 50, (n % 50) + 50].map((channel) => ({ type: 'software', label: `channel-${channel}` })),
  environments: ['dev', 'test', 'prod'].map((label) => ({ label, name: label, description: '' })),
});

const aConfiguration = (n: number) => ({
  ...{ name: `Configuration ${n}`, description: '', type: 'normal' },
  files: Object.fromEntries(
    ['/etc/motd', '/etc/issue'].map((path) => [
      path,
      {
        ...{ type: 'file', contents: { text: `Site ${n}\n`, macros: { start: '{|', end: '|}' } } },
        ...{ owner: 'root', group: 'root', permissions: '644', selinux: '' },
      },
    ]),
  ),
});

/** What issue and seed call a large zone, without packages and patches. */
const aZone = (): Content =>
  new Map([
    ['group', named(50, 'group', (n) => ({ description: `Group ${n}` }))],
    ['repository', named(100, 'repository', (n) => ({ type: 'yum', url: `https://mirror.acme.test/${n}`, signed: true, ssl: null }))],
    ['channel', named(500, 'channel', aChannel)],
    ['configuration', named(20, 'configuration', aConfiguration)],
    ['activation-key', named(300, 'key', aKey)],
    [
      'filter',
      named(100, 'filter', (n) => ({
        entityType: 'package',
        rule: 'deny',
        criteria: { matcher: 'contains', field: 'name', value: `n${n}` },
      })),
    ],
    ['project', named(200, 'project', aProject)],
  ]);

type Call = { readonly url: string; readonly init: RequestInit };

const apiOf = ({ url }: PlayedServer, fetching: typeof fetch) =>
  serverApi({
    account: () => ({ ok: true, account: { address: url, ...administrator } }),
    fetching,
    isPost,
    limit: (ms) => AbortSignal.timeout(ms),
    world: { now: () => Date.now() as EpochMs },
    say: () => {},
  });

/** Imports a zone into an empty server; gives how long that took, and every call. */
async function importInto(server: PlayedServer, zone: Content): Promise<{ readonly tookMs: number; readonly calls: readonly Call[] }> {
  const calls: Call[] = [];
  const recording: typeof fetch = (input, init) => {
    calls.push({ url: String(input), init: init ?? {} });
    return fetch(input, init);
  };
  const api = apiOf(server, recording);
  const startedAt = performance.now();
  const { failures } = await new Copy(api, understood(zone), { remove: false, said: () => {} }).run();
  const tookMs = performance.now() - startedAt;
  if (failures.length > 0) throw new Error(`${failures[0]?.key}: ${failures[0]?.why}`);
  const has = new Map([...(await contentOf(apiOf(server, fetch)))].filter(([, documents]) => documents.size > 0));
  if (treeOf(has).root !== treeOf(zone).root) throw new Error('the import is not what was given');
  return { tookMs, calls };
}

/** The same calls to another empty server, whose answers nobody reads beyond their bytes. */
async function bareCalls(server: PlayedServer, from: PlayedServer, calls: readonly Call[]): Promise<number> {
  let cookie = '';
  const startedAt = performance.now();
  for (const { url, init } of calls) {
    const { signal: _own, ...rest } = init;
    const headers = { 'content-type': 'application/json', ...(cookie !== '' && { cookie }) };
    const response = await fetch(url.replace(from.url, server.url), { ...rest, headers });
    await response.text();
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  }
  return performance.now() - startedAt;
}

async function imports(): Promise<Figure[]> {
  const zone = aZone();
  const ratios: number[] = [];
  let [count, tookMs] = [0, 0];
  for (let n = 0; n < pairs; n++) {
    const [server, bare] = await Promise.all(['content.acme.test', 'bare.acme.test'].map((fqdn) => startServer({ fqdn })));
    if (!server || !bare) throw new Error('two servers were asked for');
    const done = await importInto(server, zone);
    ratios.push(done.tookMs / (await bareCalls(bare, server, done.calls)));
    [count, tookMs] = [done.calls.length, done.tookMs];
    await Promise.all([server.stop(), bare.stop()]);
  }
  const documents = treeOf(zone).under('').length;
  return [
    {
      what: `an import of ${documents.toLocaleString('en-US')} documents over its bare calls`,
      measured: median(ratios),
      unit: '×',
      target: { atMost: 1.15 },
      note: `${spread(ratios, (one) => one.toFixed(2))}; ${count.toLocaleString('en-US')} calls`,
    },
    { what: 'that import into an empty played server', measured: seconds(tookMs), unit: 's', note: '500 channels, 300 keys, 200 projects' },
  ];
}

async function measure(): Promise<Figure[]> {
  const digests = Array.from({ length: rounds }, digest);
  const took = digests.map(({ tookS }) => tookS);
  return [
    {
      what: `digest of ${entries.toLocaleString('en-US')} documents`,
      measured: median(took),
      unit: 's',
      target: { atMost: 2 },
      note: spread(took, (one) => `${one.toFixed(2)} s`),
    },
    {
      what: `questions that find one difference among ${entries.toLocaleString('en-US')}`,
      measured: await questions(digests[0]?.tree ?? new ContentTree([])),
      unit: '',
      target: { atMost: 40 },
    },
    ...(await imports()),
  ];
}

await program(measure);
