import { readAddress } from '../../../core/address.ts';
import type { Defect, Path } from '../../../core/defect.ts';
import { endpointParts } from '../../../core/endpoint.ts';
import { host, items, type Part, text } from './walk.ts';

/**
 * Defects of the addresses that hosts and their processes listen at: some belong to other hosts, or lead nowhere from
 * another host.
 */
export function defectsOfAddresses(file: Part): Defect[] {
  const servers = items(file, 'id_m0_servers');
  const ownerOf = new Map(servers.map((server) => [text(server, 'lnid'), host(server, 'm0h_fqdn')]));
  return servers.flatMap((server) => {
    const own = text(server, 'lnid');
    return [
      ...(own === undefined ? [] : linkLocal(own, [...server.path, 'lnid'])),
      ...items(server, 'm0h_processes').flatMap((process): Defect[] => {
        const lnid = endpointParts(text(process, 'm0p_endpoint') ?? '')?.lnid;
        if (lnid === undefined || lnid === own) return [];
        const path = [...process.path, 'm0p_endpoint'];
        const owner = ownerOf.get(lnid);
        return [
          ...(owner === undefined ? [] : [{ path, says: `${lnid} is the address of ${owner}: nothing listens there on this host` }]),
          ...linkLocal(lnid, path),
        ];
      }),
    ];
  });
}

/** Addresses that each link has for itself: 169.254.0.0/16 (RFC 3927) and fe80::/10 (RFC 4291, 2.5.6). */
function linkLocal(lnid: string, path: Path): Defect[] {
  const address = readAddress(lnid.slice(0, lnid.lastIndexOf('@')));
  if (address === undefined || !(address >> 16n === 0xffffa9fen || address >> 118n === 0x3fan)) return [];
  return [{ path, says: `${lnid} is a link-local address, which no other host can reach` }];
}
