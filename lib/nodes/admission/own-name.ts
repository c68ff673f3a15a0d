import { type Fqdn, isQualified } from '../../core/ids.ts';
import type { NodeKind } from '../node.ts';

/**
 * Why a host may not be a node under its name; undefined when it may. Client systems must find their node by its name
 * from anywhere, which a name of one label does not allow; only storage hosts look for storage hosts.
 */
export const domainFault = ({ fqdn, kind }: { readonly fqdn: Fqdn; readonly kind: NodeKind }): string | undefined =>
  kind === 'storage' || isQualified(fqdn)
    ? undefined
    : `${fqdn} has no domain, and client systems find a host of the kind ${kind} by its fully qualified name: start the agent with --fqdn`;
