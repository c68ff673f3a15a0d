import type { Defect } from '../../../core/defect.ts';
import { Fqdn, isQualified } from '../../../core/ids.ts';
import { items, type Part, text } from './walk.ts';

/** Remarks on facts that are right and still deserve a look, each at the first place where it applies. */
export function remarksOn(file: Part): Defect[] {
  const short = items(file, 'id_m0_servers').filter((server) => {
    const name = Fqdn.safeParse(text(server, 'm0h_fqdn'));
    return name.success && !isQualified(name.data);
  });
  const [first] = short;
  if (!first) return [];
  const names = short.length === 1 ? 'a host has a name' : `${short.length} hosts have names, such as ${text(first, 'm0h_fqdn')},`;
  const says = `${names} without a domain: the host must use exactly this name, and no other host of this deployment may`;
  return [{ path: [...first.path, 'm0h_fqdn'], says }];
}
