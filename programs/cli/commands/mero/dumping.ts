import { contract } from '../../../../lib/contract.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import type { Facts } from '../../../../lib/mero/facts/facts.ts';
import type { LayoutPage, ServerPart } from '../../../../lib/mero/facts/load/parts.ts';
import type { Cli } from '../../cli.ts';

/** The facts of a storage cluster as it is now. Throws a Failure while nothing is loaded. */
export async function dumpedFacts(cli: Cli, zone: ZoneName): Promise<Facts> {
  const { factsOf } = await import('../../../../lib/mero/facts/load/assemble.ts');
  const pages: LayoutPage[] = [];
  const servers: ServerPart[] = [];
  for (let cursor: string | undefined; ; ) {
    const { body } = await cli.call(contract.getMeroFacts, { params: { zone }, query: cursor === undefined ? {} : { cursor } });
    pages.push(...body.pages);
    servers.push(...body.servers);
    if (body.next === undefined) return factsOf(pages, servers);
    cursor = body.next;
  }
}
