import { type OldServer, oldFacts } from './old.ts';

/** So many devices each of the hosts that store has. */
const devicesEach = 82;
const roles = (...names: readonly string[]): OldServer['roles'] => names.map((name) => ({ name }));
const wwns = ({ fqdn, devices = 0 }: OldServer): string[] => Array.from({ length: devices }, (_, n) => `wwn-${fqdn}-${n}`);

/**
 * Ten servers as a generator of configurations names them, by one label: two that keep the configuration, five that
 * store, three clients.
 */
export const generatedServers: readonly OldServer[] = [
  ...[11, 12].map((n) => ({ name: `s1-cmu-${n}`, roles: roles('ha', 'confd') })),
  ...[21, 22, 23, 24, 25].map((n) => ({ name: `s2-ssu-${n}`, roles: roles('ha', 'storage'), devices: devicesEach })),
  ...[191, 192, 193].map((n) => ({ name: `s3-client-${n}`, roles: roles('ha', 'm0t1fs', 'clovis-app', 's3server') })),
].map(({ name, ...server }, n) => ({ ...server, fqdn: name, lnid: `172.16.1.${n + 1}@tcp` }));

const [one, two, ...more] = generatedServers.filter(({ devices }) => devices).map(wwns);
const pool = (pool_id: string, data_units: number, devices: readonly string[]) => ({
  pool_id,
  pool_pdclust_attrs: { data_units, parity_units: 2, unit_size: 1_048_576, seed: [29, 31] },
  pool_allowed_failures: [{ site: 0, rack: 0, encl: 0, ctrl: 1, disk: 2 }],
  pool_device_refs: devices.map((dr_wwn) => ({ dr_wwn })),
});

/**
 * Their facts in the last of the old forms: 410 devices in four pools, of which two share theirs, and three profiles.
 */
export const generatedFacts = (): Record<string, unknown> => ({
  ...oldFacts(generatedServers),
  id_pools: [pool('tier1', 8, one!), pool('tier2', 4, two!), pool('tier3', 16, more.flat()), pool('tier4', 8, more.flat())],
  id_profiles: [
    { prof_id: 'fast', prof_pools: ['tier1'] },
    { prof_id: 'safe', prof_pools: ['tier2', 'tier3'] },
    { prof_id: 'all', prof_pools: ['tier1', 'tier2', 'tier3', 'tier4'] },
  ],
});
