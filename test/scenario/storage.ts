import { ZoneName } from '../../lib/core/ids.ts';
import type { MeroNodeView, MeroProcessView, ProcessConfiguration } from '../../lib/mero/processes/routes.ts';
import { goodFacts, load } from '../../tools/support/loading.ts';
import { type Cast, fqdnOf, nameOf, shortly } from './cast.ts';
import { type Line, line } from './line.ts';
import { aProcess, fidOf, hostOf, makeStorageZone, nameProcesses, said, short, storageOf, zone } from './storage-cast.ts';
import { StorageHost } from './storage-host.ts';

const node = '(node\\d+)';

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
        m0h_fqdn: fqdn,
        lnid,
        m0h_processes: [
          {
            m0p_endpoint: `${lnid}:12345:44:101`,
            m0p_type: { tag: 'PLM0d', contents: 0 },
            m0p_services: services('CST_CONFD', 'CST_RMS'),
          },
          {
            m0p_endpoint: `${lnid}:12345:41:401`,
            m0p_type: { tag: 'PLM0d', contents: 1 },
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
  if (reply.status !== 201) return [said(reply)];
  const { processes, node: on } = reply.body as { processes: ProcessConfiguration[]; node: { fid: string; isNew: boolean } };
  const { fids, names } = storageOf(cast);
  for (const [n, { process: fid }] of processes.entries()) names.set(fid, `process ${fids.length + n + 1}`);
  return [
    ...(on.isNew ? [`a new Mero node, ${short(on.fid)}`] : []),
    ...processes.map(({ process: fid, variables }) => `process ${fids.push(fid)} is ${short(fid)} at ${variables[0]!.value}`),
  ];
}

/** Lines about a storage zone: who makes it, who joins it, and what is ordered about hosts and processes. */
export const storageLines: readonly Line[] = [
  line(`operator makes a storage cluster of ${node}`, async (cast, name) => {
    await makeStorageZone(cast);
    const { cut } = goodFacts(factsOf(fqdnOf(name!)));
    await load(cast.world.environment('admin'), ZoneName.parse('lab'), cut);
    await nameProcesses(cast);
    return [`facts of ${name} are loaded`];
  }),
  line(`${node} joins the storage zone, and does as it is told`, async (cast, name) => {
    const { hosts, token } = storageOf(cast);
    hosts.set(name!, await StorageHost.joins(cast.world, cast.agent(name!), { zone: 'lab', token }));
    return [];
  }),
  line(`operator adds ([a-z0-9-]+)(?: (\\d+) times)? on ${node}`, (cast, role, times, on) =>
    added(cast, { node: fqdnOf(on!), roles: [role!], ...(times !== undefined && { set: { multiplicity: Number(times) } }) }),
  ),
  line(`operator adds ([a-z0-9-]+) and ([a-z0-9-]+) on ${node}`, (cast, one, other, on) =>
    added(cast, { node: fqdnOf(on!), roles: [one!, other!] }),
  ),
  line(`operator asks for the configuration of ${aProcess}`, async (cast, n) => {
    const { body } = await cast.api('GET', `${zone}/mero/processes/${await fidOf(cast, n!)}/configuration`);
    return (body as ProcessConfiguration).variables.map(({ name, value }) => `${name}=${short(value)}`);
  }),
  line(`operator looks at ${aProcess}`, async (cast, n) => {
    const reply = await cast.api('GET', `${zone}/mero/processes/${await fidOf(cast, n!)}`);
    if (reply.status !== 200) return [shortly(reply)];
    const { state, goal, host, reason, pid } = reply.body as MeroProcessView;
    const why = reason === undefined ? '' : ` (${reason})`;
    return [`${state}${why}${pid === undefined ? '' : `, pid ${pid}`} on ${nameOf(host)}, to ${goal}`];
  }),
  line(`operator (start|stop|remove)s ${aProcess}( by force)?`, async (cast, what, n, force) => [
    said(await cast.api('POST', `${zone}/mero/processes/${await fidOf(cast, n!)}/${what}`, force ? { force: true } : {})),
  ]),
  line(`operator (start|stop|remove)s the processes of ${node}( by force)?`, async (cast, what, name, force) => [
    said(await cast.api('POST', `${zone}/mero/nodes/${fqdnOf(name!)}/${what}`, force ? { force: true } : {})),
  ]),
  line(`operator removes ${node} with all of its processes`, async (cast, name) => [
    said(await cast.api('POST', `${zone}/halon/nodes/${fqdnOf(name!)}/remove`, {})),
  ]),
  line(`operator looks at the processes of ${node}`, async (cast, name) => {
    const reply = await cast.api('GET', `${zone}/mero/nodes/${fqdnOf(name!)}`);
    if (reply.status !== 200) return [shortly(reply)];
    return (reply.body as MeroNodeView).processes.map(
      ({ fid, prefix, endpoint, state }) => `${short(fid)} ${prefix} at ${endpoint}: ${state}`,
    );
  }),
  line(`the owner of ${aProcess} on ${node} (starts|ends) it`, async (cast, n, name, what) => {
    await hostOf(cast, name!).processes[what as 'starts' | 'ends'](await fidOf(cast, n!));
    return [];
  }),
];
