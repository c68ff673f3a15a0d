import { readFid } from '../../core/fid.ts';
import type { HostVariables } from '../facts/load/identity.ts';
import type { LayoutPage, ServerPart } from '../facts/load/parts.ts';
import { resolvedProcess } from '../facts/load/resolved.ts';
import { expandedOf } from '../loads/check.ts';
import type { MeroNode } from '../nodes/mero-node.ts';
import type { MeroProcess, ProcessDevices } from '../processes/process.ts';

/** A process with its devices. */
export type DumpedProcess = { readonly process: MeroProcess; readonly devices: ProcessDevices | undefined };

/** A host with its processes as a facts file has it: each process by itself, as it is now. */
export function partOf({ fid, fqdn, lnid, variables }: MeroNode, processes: readonly DumpedProcess[]): ServerPart {
  const at = readFid(fid)!.key;
  return {
    at,
    next: at + 1,
    server: {
      m0h_fqdn: fqdn,
      ...(lnid !== undefined && { lnid }),
      ...(variables as HostVariables | undefined),
      m0h_processes: processes.map(({ process, devices }) => resolvedProcess(expandedOf(process, devices))),
    },
  };
}

/** A page with the numbers that its things have in the cluster. */
export function numbered(page: LayoutPage, base: number): LayoutPage {
  switch (page.of) {
    case 'globals':
      return page;
    case 'pool':
      return { ...page, at: base + page.at };
    case 'profiles':
      return { ...page, profiles: page.profiles.map((profile) => ({ ...profile, at: base + profile.at })) };
    case 'sites':
      return {
        ...page,
        places: page.places.map(({ site, rack, enclosure }) => ({
          site: { ...site, at: base + site.at },
          ...(rack && { rack: { ...rack, at: base + rack.at } }),
          ...(enclosure && { enclosure: { ...enclosure, at: base + enclosure.at } }),
        })),
      };
  }
}
