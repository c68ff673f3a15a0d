import * as z from 'zod';
import { NodeId } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';

/** The node that has a name. */
export const NameOfNode = z.strictObject({ node: NodeId });
export type NameOfNode = z.infer<typeof NameOfNode>;

/** The holder of a fully qualified name, by that name. */
export const fqdnRef = refOf('fqdn', NameOfNode);
