import { readFid } from '../../../lib/core/fid.ts';
import { type Expansion, expand } from '../../../lib/mero/facts/expand/expand.ts';
import type { Facts } from '../../../lib/mero/facts/facts.ts';
import { cutFacts } from '../../../lib/mero/facts/load/cut.ts';
import type { Cut } from '../../../programs/cli/commands/mero/loading.ts';
import { fabricatedFacts } from '../../../tools/support/facts/fabricated.ts';
import { goodFacts } from '../../../tools/support/loading.ts';

/**
 * A facts file that somebody loads, as it is expanded and cut into calls: here one for each process, so that a load has
 * many steps.
 */
export type FactsFile = { readonly expansion: Expansion; readonly cut: Cut };

/**
 * The files that there are for a storage zone: two of them are good, and `broken` is of a program that checks nothing:
 * it gives one device to two services.
 */
export type FactsFiles = { readonly good: readonly FactsFile[]; readonly broken: FactsFile };

/** The files for a zone of these hosts. */
export function filesFor(hosts: readonly string[]): FactsFiles {
  const good = [2, 3].map((devicesEach) => {
    const { expansion, cut } = goodFacts(named(fabricatedFacts({ servers: hosts.length, devicesEach }), hosts));
    return { expansion, cut: inSteps(cut, expansion) };
  });
  return { good, broken: brokenFile(hosts) };
}

/** Facts with other names for their hosts. */
const named = (facts: object, hosts: readonly string[]): unknown =>
  JSON.parse(hosts.reduce((text, host, n) => text.replaceAll(`ssu${n + 1}.storage.acme.org`, host), JSON.stringify(facts)));

/** The same cut, with each process by itself. */
function inSteps(cut: Cut, { nodes }: Expansion): Cut {
  const servers = cut.servers
    .flat()
    .flatMap((part, n) =>
      part.server.m0h_processes.map((process, at) => [
        { at: part.at, next: readFid(nodes[n]!.processes[at]!.fid)!.key, server: { ...part.server, m0h_processes: [process] } },
      ]),
    );
  return { ...cut, servers };
}

/** The last device has the WWN of the first, which is on another host; each part of it looks well. */
function brokenFile(hosts: readonly string[]): FactsFile {
  const { facts } = goodFacts(named(fabricatedFacts({ servers: hosts.length, devicesEach: 2 }), hosts));
  const refs = facts.id_pools[0]!.pool_device_refs;
  const [first, last] = [refs[0]!.dr_wwn!, refs.at(-1)!.dr_wwn!];
  const unpooled: Facts = { ...facts, id_pools: facts.id_pools.map((pool) => ({ ...pool, pool_device_refs: refs.slice(0, -1) })) };
  const expanded = expand(unpooled);
  if (!expanded.ok) throw new Error(`facts for ${hosts.join(', ')} expand to nothing`);
  const twice = JSON.parse(JSON.stringify(expanded.expansion).replace(`"wwn":"${last}"`, `"wwn":"${first}"`)) as Expansion;
  const cut = cutFacts(unpooled, twice);
  if (!cut.ok) throw new Error(`facts for ${hosts.join(', ')} cannot be cut`);
  return { expansion: twice, cut: inSteps(cut, twice) };
}
