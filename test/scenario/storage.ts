import type { MeroNodeView, MeroProcessView, ProcessConfiguration } from '../../lib/api/mero-views.ts';
import { ZoneName } from '../../lib/ids.ts';
import { goodFacts, load } from '../support/loading.ts';
import { Obeying } from '../support/obeying.ts';
import type { WorldReply } from '../support/stepped.ts';
import { type Cast, fqdnOf, nameOf, shortly } from './cast.ts';
import { type Line, line } from './line.ts';

const node = '(node\\d+)';
const process = 'process (\\d+)';

/** What a cast has in a storage zone: the token that lets hosts in, processes by the order in which they were added, and what hosts run. */
type Storage = { token: string; readonly fids: string[]; readonly hosts: Map<string, Obeying> };
const storages = new WeakMap<Cast, Storage>();
const storageOf = (cast: Cast): Storage => storages.get(cast)!;
const fidOf = (cast: Cast, n: string): string => storageOf(cast).fids[Number(n) - 1]!;

const zone = 'zones/lab';
/** What an order came to: why it is so, or why it was refused. */
const said = ({ status, body }: WorldReply): string => {
  const { because, detail } = body as { because?: string; detail?: string };
  return `${status} ${because ?? detail}`;
};
/** A fid as stories have it: the number alone. */
const short = (text: string): string => text.replaceAll(/0x[0-9a-f]{16}:(0x[0-9a-f]+)/g, '$1').replaceAll('.acme.org', '');

/** A cluster of one host, with a confd and a server that has one device. */
const factsOf = (fqdn: string) => {
  const lnid = '192.0.2.1@tcp';
  const device = { m0d_wwn: 'w1', m0d_serial: 's1', m0d_path: '/dev/sdb', m0d_bsize: 4_096, m0d_size: 1_000_000 };
  const services = (...tags: string[]) => tags.map((tag) => ({ m0s_type: { tag, contents: [] } }));
  return {
    id_sites: [
      { site_idx: 0, site_racks: [{ rack_idx: 0, rack_enclosures: [{ enc_idx: 0, enc_id: 'e0', enc_hosts: [{ h_fqdn: fqdn }] }] }] },
    ],
    id_m0_servers: [
      {
        ...{ m0h_fqdn: fqdn, lnid },
        m0h_processes: [
          {
            ...{ m0p_endpoint: `${lnid}:12345:44:101`, m0p_type: { tag: 'PLM0d', contents: 0 } },
            m0p_services: services('CST_CONFD', 'CST_RMS'),
          },
          {
            ...{ m0p_endpoint: `${lnid}:12345:41:401`, m0p_type: { tag: 'PLM0d', contents: 1 } },
            m0p_services: [{ ...services('CST_IOS')[0], m0s_devices: [device] }],
          },
        ],
      },
    ],
    id_m0_globals: { m0_md_redundancy: 1 },
    id_pools: [
      {
        pool_id: 'tier1',
        pool_pdclust_attrs: { data_units: 1, parity_units: 0, unit_size: 4_096, seed: [1, 2] },
        pool_device_refs: [{ dr_wwn: 'w1' }],
      },
    ],
    id_profiles: [{ prof_id: 'default', prof_pools: ['tier1'] }],
  };
};

async function added(cast: Cast, order: { node: string; roles: string[]; set?: object }): Promise<string[]> {
  const reply = await cast.api('POST', `${zone}/mero/processes`, order);
  if (reply.status !== 201) return [short(said(reply))];
  const { processes, node: on } = reply.body as { processes: ProcessConfiguration[]; node: { fid: string; isNew: boolean } };
  const { fids } = storageOf(cast);
  return [
    ...(on.isNew ? [`a new Mero node, ${short(on.fid)}`] : []),
    ...processes.map(({ process: fid, variables }) => `process ${fids.push(fid)} is ${short(fid)} at ${variables[0]!.value}`),
  ];
}

/** Lines about a storage zone: who makes it, who joins it, and what is ordered about hosts and processes. */
export const storageLines: readonly Line[] = [
  line(`operator makes a storage cluster of ${node}`, async (cast, name) => {
    await cast.api('POST', 'zones', { name: 'lab', kind: 'storage' });
    const made = await cast.api('POST', 'node-tokens', { nodes: '*.acme.org', uses: 100, kind: 'storage', zone: 'lab' });
    storages.set(cast, { token: (made.body as { secret: string }).secret, fids: [], hosts: new Map() });
    const { cut } = goodFacts(factsOf(fqdnOf(name!)));
    await load(cast.world.environment('admin'), ZoneName.parse('lab'), cut);
    return [`facts of ${name} are loaded`];
  }),
  line(`${node} joins the storage zone, and does as it is told`, async (cast, name) => {
    const agent = await cast.agent(name!).start({ kind: 'storage', zone: 'lab', token: storageOf(cast).token });
    const host = new Obeying(agent);
    storageOf(cast).hosts.set(name!, host);
    cast.world.every(10_000, async () => {
      if ((await agent.desired()).status === 200) await host.obey();
    });
    return [];
  }),
  line('operator starts the storage cluster', async (cast) => [said(await cast.api('POST', `${zone}/mero/start`, {}))]),
  line(`operator adds ([a-z0-9-]+)(?: (\\d+) times)? on ${node}`, (cast, role, times, on) =>
    added(cast, { node: fqdnOf(on!), roles: [role!], ...(times !== undefined && { set: { multiplicity: Number(times) } }) }),
  ),
  line(`operator adds ([a-z0-9-]+) and ([a-z0-9-]+) on ${node}`, (cast, one, other, on) =>
    added(cast, { node: fqdnOf(on!), roles: [one!, other!] }),
  ),
  line(`operator asks for the configuration of ${process}`, async (cast, n) => {
    const { body } = await cast.api('GET', `${zone}/mero/processes/${fidOf(cast, n!)}/configuration`);
    return (body as ProcessConfiguration).variables.map(({ name, value }) => `${name}=${short(value)}`);
  }),
  line(`operator looks at ${process}`, async (cast, n) => {
    const reply = await cast.api('GET', `${zone}/mero/processes/${fidOf(cast, n!)}`);
    if (reply.status !== 200) return [shortly(reply)];
    const { state, goal, host, reason } = reply.body as MeroProcessView;
    return [`${state}${reason === undefined ? '' : ` (${reason})`} on ${nameOf(host)}, to ${goal}`];
  }),
  line(`operator (start|stop|remove)s ${process}( by force)?`, async (cast, what, n, force) => [
    short(said(await cast.api('POST', `${zone}/mero/processes/${fidOf(cast, n!)}/${what}`, force ? { force: true } : {}))),
  ]),
  line(`operator (start|stop|remove)s the processes of ${node}( by force)?`, async (cast, what, name, force) => [
    short(said(await cast.api('POST', `${zone}/mero/nodes/${fqdnOf(name!)}/${what}`, force ? { force: true } : {}))),
  ]),
  line(`operator removes ${node} with all of its processes`, async (cast, name) => [
    short(said(await cast.api('POST', `${zone}/halon/nodes/${fqdnOf(name!)}/remove`, {}))),
  ]),
  line(`operator looks at the processes of ${node}`, async (cast, name) => {
    const reply = await cast.api('GET', `${zone}/mero/nodes/${fqdnOf(name!)}`);
    if (reply.status !== 200) return [shortly(reply)];
    return (reply.body as MeroNodeView).processes.map(
      ({ fid, prefix, endpoint, state }) => `${short(fid)} ${prefix} at ${endpoint}: ${state}`,
    );
  }),
  line(`the owner of ${process} on ${node} (starts|ends) it`, async (cast, n, name, what) => {
    await storageOf(cast).hosts.get(name!)![what as 'starts' | 'ends'](fidOf(cast, n!));
    return [];
  }),
];
