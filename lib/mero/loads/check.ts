import { pathText } from '../../core/defect.ts';
import { type Fid, fidOf, readFid } from '../../core/fid.ts';
import { defectsOfHalonRoles, type HalonRoleName } from '../facts/check/halon-roles.ts';
import type { ExpandedProcess, ExpandedService } from '../facts/expand/processes.ts';
import { sectionsOf } from '../facts/load/assemble.ts';
import { defectsOfWhole } from '../facts/load/check.ts';
import { FactsIdentity } from '../facts/load/identity.ts';
import type { LayoutPage } from '../facts/load/parts.ts';
import { numbersOf } from '../facts/load/resolved.ts';
import type { MeroNode } from '../nodes/mero-node.ts';
import type { MeroProcess, ProcessDevices } from '../processes/process.ts';
import type { Layout, MeroLoad } from './load.ts';

/** The process of these rows, in the form that facts expand to. */
export function expandedOf(process: MeroProcess, devices: ProcessDevices | undefined): ExpandedProcess {
  const { fid, type, endpoint, memory, cores, environment } = process;
  const byService = new Map(devices?.services.map((one) => [one.service, one.devices]));
  const services = process.services.map((service): ExpandedService => {
    const type = service.type as ExpandedService['type'];
    return { fid: service.fid, type, endpoint, devices: byService.get(service.fid) ?? [] };
  });
  const { as, rss, stack, memlock } = memory;
  return { fid, type, endpoint, memory: { as, rss, stack, memlock }, cores, environment, services };
}

/** The result of a check: the first profile of the load, or what is wrong with it. */
export type LoadFindings =
  | { readonly ok: true; readonly profile: Fid | undefined }
  | { readonly ok: false; readonly findings: readonly string[] };

/** How many findings are reported at most. */
export const findingsMax = 50;

/**
 * Checks a load as a whole: it takes its processes in the order of their numbers, then its pages, then its hosts. It
 * remembers the names of devices and hosts, some 100 bytes each, and nothing else.
 */
export class LoadCheck {
  readonly #load: MeroLoad;
  readonly #halonRoles: readonly HalonRoleName[];
  readonly #identity = new FactsIdentity();
  readonly #findings: string[] = [];
  readonly #wwns = new Set<string>();
  readonly #serials = new Set<string>();
  readonly #hosts: MeroNode[] = [];
  readonly #pages: LayoutPage[] = [];
  readonly #counts = { processes: 0, services: 0, devices: 0 };
  /** The ranges of numbers that processes take, and single numbers of all else. */
  readonly #numbers: [from: number, to: number, what: string][] = [];
  #pool: { readonly at: number; readonly id: string; readonly wwns: Set<string>; readonly width: number } | undefined;
  #profile: Fid | undefined;

  /** `halonRoles` are those that hosts may have: the catalogue of the zone. */
  constructor(load: MeroLoad, halonRoles: readonly HalonRoleName[]) {
    this.#load = load;
    this.#halonRoles = halonRoles;
  }

  /** The next process, with the row of its devices if it has any. */
  process(process: MeroProcess, devices: ProcessDevices | undefined): void {
    const expanded = expandedOf(process, devices);
    const number = readFid(process.fid)!.key;
    this.#numbers.push([number, number + numbersOf(expanded) - 1, `process ${process.fid}`]);
    this.#counts.processes += 1;
    this.#counts.services += expanded.services.length;
    for (const { devices: own } of expanded.services)
      for (const { wwn, serial } of own) {
        this.#counts.devices += 1;
        if (this.#wwns.has(wwn)) this.#find(`the device with the WWN ${wwn} is there twice`);
        if (this.#serials.has(serial)) this.#find(`the device with the serial ${serial} is there twice`);
        this.#wwns.add(wwn);
        this.#serials.add(serial);
      }
    this.#identity.process(process.host, expanded);
  }

  /** The next page, after all processes. */
  page({ base, page }: Layout): void {
    this.#identity.page(page);
    if (page.of === 'pool') this.#poolPage(page);
    else this.#endPool();
    if (page.of === 'profiles') {
      this.#profile ??= fidOf('profile', base + page.profiles[0]!.at);
      for (const { at, prof_id } of page.profiles) this.#single(base + at, `profile ${prof_id}`);
    }
    if (page.of !== 'pool') this.#pages.push(page);
  }

  #poolPage(page: Extract<LayoutPage, { of: 'pool' }>): void {
    if (this.#pool?.at !== page.at) {
      this.#endPool();
      const { data_units, parity_units } = page.pool.pool_pdclust_attrs;
      this.#pool = { at: page.at, id: page.pool.pool_id, wwns: new Set(), width: data_units + 2 * parity_units };
      this.#single(this.#load.base + page.at, `pool ${page.pool.pool_id}`);
      this.#pages.push({ ...page, devices: [] });
    }
    const { id, wwns } = this.#pool!;
    for (const wwn of page.devices) {
      if (!this.#wwns.has(wwn)) this.#find(`pool ${id} refers to the device ${wwn}, which does not exist`);
      if (wwns.has(wwn)) this.#find(`pool ${id} refers to the device ${wwn} twice`);
      wwns.add(wwn);
    }
  }

  #endPool(): void {
    if (this.#pool && this.#pool.wwns.size < this.#pool.width)
      this.#find(`pool ${this.#pool.id} needs ${this.#pool.width} devices (N + 2K), and has ${this.#pool.wwns.size}`);
    this.#pool = undefined;
  }

  /** The next host, in any order. */
  host(node: MeroNode): void {
    this.#single(readFid(node.fid)!.key, `host ${node.fqdn}`);
    this.#hosts.push({ ...node, processes: [] });
  }

  /** The result of the check. Nothing can be added after it. */
  end(): LoadFindings {
    this.#endPool();
    const hosts = this.#hosts.sort((a, b) => readFid(a.fid)!.key - readFid(b.fid)!.key);
    for (const { fqdn, lnid, variables } of hosts) this.#identity.host(fqdn, lnid, variables ?? {});
    this.#count();
    this.#overlaps();
    if (!this.#pages.some(({ of }) => of === 'globals')) this.#find('there are no globals');
    const names = hosts.map(({ fqdn }) => fqdn);
    const sections = sectionsOf(this.#pages);
    const defects = [...defectsOfWhole(sections, names), ...defectsOfHalonRoles(sections, this.#halonRoles)];
    for (const { path, says } of defects) this.#find(`${pathText(path)}: ${says}`);
    // Any other finding explains why the content is not what was announced.
    if (this.#findings.length === 0 && this.#identity.end() !== this.#load.identity)
      this.#find(`the content differs from the identity that the load was begun with, ${this.#load.identity.slice(0, 16)}…`);
    return this.#findings.length > 0 ? { ok: false, findings: this.#findings } : { ok: true, profile: this.#profile };
  }

  #count(): void {
    const { size } = this.#load;
    const pages = sectionsOf(this.#pages);
    const there = { nodes: this.#hosts.length, ...this.#counts, pools: pages.id_pools.length, profiles: pages.id_profiles.length };
    for (const [of, count] of Object.entries(there)) {
      const wanted = size[of as keyof typeof there];
      if (count !== wanted) this.#find(`${count} of ${wanted} ${of} were handed in`);
    }
  }

  #overlaps(): void {
    const sorted = this.#numbers.sort((a, b) => a[0] - b[0]);
    for (let n = 1; n < sorted.length; n++)
      if (sorted[n]![0] <= sorted[n - 1]![1]) this.#find(`${sorted[n - 1]![2]} and ${sorted[n]![2]} have the same number`);
  }

  #single(number: number, what: string): void {
    this.#numbers.push([number, number, what]);
  }

  #find(text: string): void {
    if (this.#findings.length < findingsMax) this.#findings.push(text);
  }
}
