import { type Fqdn, isQualified } from '../../core/ids.ts';
import type { NodeKind } from '../node.ts';

/**
 * Why a host may not be a node under its name; undefined where it may. Client systems find their node by its name from
 * wherever they are, which a name of one label does not let them; nobody looks for storage hosts but each other.
 */
export const needsDomain = ({ fqdn, kind }: { readonly fqdn: Fqdn; readonly kind: NodeKind }): string | undefined =>
  kind === 'storage' || isQualified(fqdn)
    ? undefined
    : `client systems find a host of the kind ${kind} by its fully qualified name, and ${fqdn} has no domain: start the agent with --fqdn`;
