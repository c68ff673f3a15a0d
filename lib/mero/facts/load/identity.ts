import { createHash, type Hash } from 'node:crypto';
import type { ExpandedProcess } from '../expand/processes.ts';
import type { Server } from '../facts.ts';
import type { LayoutPage } from './parts.ts';

/** A value as text, the same whatever the order of its keys: a table returns them in another one. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, held]) => held !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, held]) => `${JSON.stringify(key)}:${canonical(held)}`)
    .join()}}`;
}

/** The variables of a host: all but its name, its network and its processes. */
export type HostVariables = Omit<Server, 'm0h_fqdn' | 'lnid' | 'm0h_processes'>;

/**
 * The identity of facts, without fids. It takes pages, hosts and processes, each in its order, however they are cut and
 * whichever of the three comes first. It holds three hashes and nothing else.
 */
export class FactsIdentity {
  readonly #pages = createHash('sha256');
  readonly #hosts = createHash('sha256');
  readonly #processes = createHash('sha256');
  #pool: number | undefined;

  /** The next page. For a further page of a pool only the devices count, and numbers never count. */
  page(page: LayoutPage): void {
    switch (page.of) {
      case 'globals':
        add(this.#pages, ['globals', page.globals]);
        break;
      case 'sites':
        for (const { site, rack, enclosure } of page.places)
          add(this.#pages, ['place', site.index, rack?.index, enclosure && { ...enclosure, at: 0 }]);
        break;
      case 'pool':
        if (this.#pool !== page.at) add(this.#pages, ['pool', page.pool]);
        for (const wwn of page.devices) add(this.#pages, wwn);
        break;
      case 'profiles':
        for (const { prof_id, prof_pools } of page.profiles) add(this.#pages, ['profile', prof_id, prof_pools]);
        break;
    }
    this.#pool = page.of === 'pool' ? page.at : undefined;
  }

  /** The next host. */
  host(fqdn: string, lnid: string | undefined, variables: HostVariables): void {
    add(this.#hosts, [fqdn, lnid, variables]);
  }

  /** The next process. */
  process(host: string, { type, endpoint, memory, cores, environment, services }: ExpandedProcess): void {
    const parts = services.map(({ type, devices }) => [type, devices.map(({ fid: _fid, ...device }) => device)]);
    add(this.#processes, [host, type, endpoint, memory, cores, environment, parts]);
  }

  /** The identity, in hex. Nothing can be added after it. */
  end(): string {
    const whole = createHash('sha256');
    for (const part of [this.#pages, this.#hosts, this.#processes]) whole.update(part.digest());
    return whole.digest('hex');
  }
}

const add = (hash: Hash, value: unknown): void => void hash.update(`${canonical(value)}\n`);

/** The first 16 hex digits of the SHA-256 of a part: they show whether it was handed in already. */
export const digestOf = (part: unknown): string => createHash('sha256').update(canonical(part)).digest('hex').slice(0, 16);
