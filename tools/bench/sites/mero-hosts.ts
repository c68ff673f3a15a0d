import { createHash } from 'node:crypto';
import type { DesiredAnswer, DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import { Agent } from '../../support/players.ts';
import type { World } from '../../support/stepped.ts';

/**
 * Processes of each simulated host that Muster or its agent drives: Halon's own, a confd or an s3server, an IO service,
 * a kernel client, and six s3servers.
 */
export const processesEach = 10;

const name = (n: number): string => `ssu${n + 1}.acme.org`;
const services = (...tags: string[]): object[] => tags.map((tag) => ({ m0s_type: { tag: `CST_${tag}`, contents: [] } }));
const s3server = { tag: 'PLClovis', contents: ['s3server', 'Managed'] };

/** The facts of so many hosts, alike but for the confd of every tenth: ten processes each, of all levels. */
export function bootstrapFacts(hosts: number): object {
  const all = Array.from({ length: hosts }, (_, n) => n);
  return {
    id_sites: [{ site_idx: 1, site_racks: [{ rack_idx: 1, rack_enclosures: enclosures(all) }] }],
    id_m0_servers: all.map(server),
    id_m0_globals: { m0_md_redundancy: 1 },
    id_pools: [
      {
        pool_id: 'tier1',
        pool_pdclust_attrs: { data_units: 1, parity_units: 0, unit_size: 4_096, seed: [1, 2] },
        pool_device_refs: all.map((n) => ({ dr_wwn: `w${n}` })),
      },
    ],
    id_profiles: [{ prof_id: 'default', prof_pools: ['tier1'] }],
  };
}

/** How many hosts an enclosure has. */
const together = 8;
const enclosures = (hosts: readonly number[]): object[] =>
  Array.from({ length: Math.ceil(hosts.length / together) }, (_, e) => ({
    enc_idx: e,
    enc_id: `enclosure-${e}`,
    enc_hosts: hosts.slice(e * together, (e + 1) * together).map((n) => ({ h_fqdn: name(n) })),
  }));

function server(n: number): object {
  const lnid = `10.0.${n >> 8}.${n & 255}@tcp`;
  const process = (suffix: string, type: object, its: readonly object[]): object => ({
    m0p_endpoint: `${lnid}:12345:${suffix}`,
    m0p_type: type,
    m0p_services: its,
  });
  const device = { m0d_wwn: `w${n}`, m0d_serial: `s${n}`, m0d_path: '/dev/sdb', m0d_bsize: 4_096, m0d_size: 8_001_563_222_016 };
  const isConfd = n % 10 === 0;
  return {
    m0h_fqdn: name(n),
    lnid,
    m0h_processes: [
      process('34:101', { tag: 'PLHalon', contents: [] }, services('HA', 'RMS')),
      ...(isConfd ? [process('44:101', { tag: 'PLM0d', contents: 0 }, services('CONFD', 'RMS'))] : []),
      process('41:401', { tag: 'PLM0d', contents: 1 }, [...services('RMS', 'CAS'), { ...services('IOS')[0], m0s_devices: [device] }]),
      process('41:301', { tag: 'PLM0t1fs', contents: [] }, services('RMS')),
      ...Array.from({ length: isConfd ? 6 : 7 }, (_, i) => process(`41:${302 + i}`, s3server, services('RMS'))),
    ],
  };
}

type Runs = { readonly process: string; readonly pid: number; state: 'starting' | 'online' };
/** The period of a host's heartbeats, and of the looks at its processes, in seconds. */
const heartbeatSeconds = 10;

/**
 * A host of a storage cluster, as its agent shows it. It reads its assignment when a heartbeat reports that this has
 * changed, and starts its processes. It reports in as many calls as an agent does: that processes start, a second later
 * that they are ready, and its table on request.
 */
export class SimulatedHost {
  readonly #agent: Agent;
  readonly #runs = new Map<string, Runs>();
  readonly #turn: number;
  #desired = -1;
  #second = 0;
  #seq = 0;

  /** The nth host of a world. */
  constructor(world: World, n: number) {
    this.#agent = new Agent(world, name(n));
    this.#turn = n % heartbeatSeconds;
  }

  /** Joins by a token; `up` and `ready` follow, each once the earlier report is processed. */
  join = (token: string): Promise<unknown> => this.#agent.join({ kind: 'storage', zone: 'lab', token });
  up = (): Promise<unknown> => this.#agent.up();
  ready = (): Promise<unknown> => this.#agent.say('node.ready');

  /** Lets a second pass: started processes are ready, and every ten seconds the host sends a heartbeat. */
  async second(): Promise<void> {
    this.#second += 1;
    await this.#say('process.started', this.#among('starting', 'online'));
    if (this.#second % heartbeatSeconds === this.#turn) await this.#beat();
  }

  #among(was: Runs['state'], is: Runs['state']): Runs[] {
    const those = [...this.#runs.values()].filter(({ state }) => state === was);
    for (const one of those) one.state = is;
    return those;
  }

  async #beat(): Promise<void> {
    const { status, body } = await this.#agent.beat({ tableHash: this.#table().hash });
    if (status !== 200) throw new Error(`a heartbeat was answered ${status}: ${JSON.stringify(body)}`);
    const { desired, resync } = body as { desired: number; resync: boolean };
    if (resync) await this.#post([{ type: 'node.table', data: this.#table() }]);
    if (desired !== this.#desired) await this.#obey(desired);
  }

  async #obey(revision: number): Promise<void> {
    const { processes = [] } = (await this.#agent.desired()).body as DesiredAnswer;
    this.#desired = revision;
    const isToStart = ({ process, goal }: DesiredProcess): boolean => goal === 'run' && !this.#runs.has(process);
    const begun = processes.filter(isToStart).map(({ process }): Runs => ({ process, pid: 100 + this.#runs.size, state: 'starting' }));
    for (const one of begun) this.#runs.set(one.process, one);
    await this.#say('process.starting', begun);
  }

  #table() {
    const processes = [...this.#runs.values()].sort((a, b) => (a.process < b.process ? -1 : 1));
    return { hash: createHash('sha256').update(JSON.stringify(processes)).digest('hex').slice(0, 16), processes };
  }

  #say = (type: string, those: readonly Runs[]): Promise<void> =>
    this.#post(those.map(({ process, pid }) => ({ type, data: { process, pid } })));

  async #post(contents: readonly { readonly type: string; readonly data: object }[]): Promise<void> {
    if (contents.length === 0) return;
    const { id, fqdn, incarnation } = this.#agent;
    const reports = contents.map((content) => {
      this.#seq += 1;
      return { id: `${fqdn}-word-${this.#seq}`, version: 1, incarnation, seq: this.#seq, ...content };
    });
    const { status, body } = await this.#agent.call('POST', `/nodes/${id}/events`, reports);
    if (status !== 202) throw new Error(`reports were answered ${status}: ${JSON.stringify(body)}`);
  }
}
