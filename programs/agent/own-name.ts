import { Fqdn, isQualified } from '../../lib/core/ids.ts';
import type { Ledger } from './ledger.ts';
import type { AgentOptionsGiven } from './options.ts';

/**
 * The name of this host: as given, else as it joined, else its host name. Storage hosts may know each other by names of
 * one label. Any other host needs a fully qualified name, because client systems must find it from everywhere. Gives
 * the fault of a name that does not fit.
 */
export function ownName(
  { fqdn, kind }: Pick<AgentOptionsGiven, 'fqdn' | 'kind'>,
  ledger: Ledger | undefined,
  hostname: string,
): { readonly name: Fqdn } | { readonly fault: string } {
  const name = fqdn ?? ledger?.fqdn ?? Fqdn.safeParse(hostname).data;
  if (name === undefined) return { fault: `the host name ${hostname} is not a valid name` };
  if (kind === 'storage' || isQualified(name)) return { name };
  return { fault: `the name ${name} is not fully qualified, which a host of the kind ${kind} needs` };
}
