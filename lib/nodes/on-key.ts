import { type Decision, nothing, write } from '../core/decision.ts';
import { fingerprintOf } from '../identity/fingerprint.ts';
import type { NodeCommand } from './command.ts';
import { concluded, type Node } from './node.ts';

/** The node names its next key: both keys are valid until the node has signed with the next one. */
export function onNameKey(node: Node, { publicKey }: Extract<NodeCommand, { type: 'name-key' }>): Decision<Node> {
  if (node.publicKey === publicKey) return nothing('this is already its key');
  if (node.nextKey === publicKey) return nothing('this is already its next key');
  return write<Node, never>({ ...node, nextKey: publicKey as Node['publicKey'] }, 'it named its next key');
}

/** The next key has signed a call: it is the key from now on, and the former key is no longer valid. */
export function onTakeKey(node: Node, { publicKey }: Extract<NodeCommand, { type: 'take-key' }>): Decision<Node> {
  const { nextKey, ...rest } = node;
  if (nextKey !== publicKey) return nothing(node.publicKey === publicKey ? 'this is already its key' : 'it has since named another key');
  const next: Node = { ...rest, publicKey: nextKey };
  const keys = { fingerprint: fingerprintOf(nextKey), before: fingerprintOf(node.publicKey) };
  return write(next, 'its next key signed a call', { events: [concluded('node.rekeyed', next, keys)] });
}
