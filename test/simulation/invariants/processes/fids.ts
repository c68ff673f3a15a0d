import { readFid } from '../../../../lib/core/fid.ts';
import type { Layout } from '../../../../lib/mero/loads/load.ts';
import type { MeroNode } from '../../../../lib/mero/nodes/mero-node.ts';
import type { MeroProcess, ProcessDevices } from '../../../../lib/mero/processes/process.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import type { Invariant } from '../invariant.ts';

/** A fid is in logs and on disks for ever: whoever reads it there must find one thing. */
export const fids: Invariant = {
  name: 'a-number-is-given-once',
  says: 'in a storage zone no number is that of two things, whether hosts, processes, services, devices, pools or profiles, of this load or another, and however often the zone is deleted and made again',
  begin: ({ violated }) => {
    const owners = new Map<string, string>();
    return {
      committed: (changes) => {
        for (const { after } of changes) {
          if (after.gone || !after.key.pk.startsWith('cluster#')) continue;
          for (const [number, owner] of numbersIn(after)) {
            const name = `${after.key.pk} ${number}`;
            const other = owners.get(name);
            if (other !== undefined && other !== owner) violated(`${number} of ${after.key.pk} is that of ${other} and of ${owner}`);
            owners.set(name, owner);
          }
        }
      },
    };
  },
};

const numberOf = (fid: string): number => readFid(fid)!.key;

/** The numbers that a row gives to things, and what these are. */
function numbersIn({ key: { sk }, body }: Row): [number: number, owner: string][] {
  const of = ` of load ${(body as { load?: string }).load}`;
  switch (sk.split('#')[0]) {
    case 'node': {
      const { fid, fqdn } = body as MeroNode;
      return [[numberOf(fid), `host ${fqdn}${of}`]];
    }
    case 'process': {
      const { fid, endpoint, services } = body as MeroProcess;
      const own = services.map((service): [number, string] => [numberOf(service.fid), `${service.type} at ${endpoint}${of}`]);
      return [[numberOf(fid), `the process at ${endpoint}${of}`], ...own];
    }
    case 'devices':
      return (body as ProcessDevices).services.flatMap(({ devices }) =>
        devices.map(({ fid, wwn }): [number, string] => [numberOf(fid), `device ${wwn}${of}`]),
      );
    case 'layout': {
      const { base, page } = body as Layout;
      if (page.of === 'pool') return [[base + page.at, `pool ${page.pool.pool_id}${of}`]];
      return page.of === 'profiles' ? page.profiles.map(({ at, prof_id }) => [base + at, `profile ${prof_id}${of}`]) : [];
    }
    default:
      return [];
  }
}
