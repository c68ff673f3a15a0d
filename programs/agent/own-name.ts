import { Fqdn, isQualified } from '../../lib/core/ids.ts';
import type { Ledger } from './ledger.ts';
import type { AgentOptionsGiven } from './options.ts';

/**
 * What this host is called: as it is told to be, else as it joined, else as it calls itself. Storage hosts know each
 * other by names of one label, too; client systems must find any other host from wherever they are. Says what is wrong
 * with a name that does not do.
 */
export function ownName(
  { fqdn, kind }: Pick<AgentOptionsGiven, 'fqdn' | 'kind'>,
  ledger: Ledger | undefined,
  hostname: string,
): { readonly name: Fqdn } | { readonly fault: string } {
  const name = fqdn ?? ledger?.fqdn ?? Fqdn.safeParse(hostname).data;
  if (name === undefined) return { fault: `this host calls itself ${hostname}, which is no name of a host` };
  if (kind === 'storage' || isQualified(name)) return { name };
  return { fault: `this host calls itself ${name}, which is not fully qualified, and is of the kind ${kind}` };
}
