import * as z from 'zod';
import { NodeId } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';

/** Which node has a name. */
export const NameOfNode = z.strictObject({ node: NodeId });
export type NameOfNode = z.infer<typeof NameOfNode>;

/** Who has a fully qualified name, by that name. */
export const fqdnRef = refOf('fqdn', NameOfNode);
