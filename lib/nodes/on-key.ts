import { type Decision, nothing, write } from '../core/decision.ts';
import { fingerprintOf } from '../identity/fingerprint.ts';
import type { NodeCommand } from './command.ts';
import { concluded, type Node } from './node.ts';

/** The node will sign with another key: both are good until it has. */
export function onNameKey(node: Node, { publicKey }: Extract<NodeCommand, { type: 'name-key' }>): Decision<Node> {
  if (node.publicKey === publicKey) return nothing('it is its key already');
  if (node.nextKey === publicKey) return nothing('it is its next key already');
  return write<Node, never>({ ...node, nextKey: publicKey as Node['publicKey'] }, 'it has named its next key');
}

/** The next key has signed: it is the key from now on, and the one before is good for nothing. */
export function onTakeKey(node: Node, { publicKey }: Extract<NodeCommand, { type: 'take-key' }>): Decision<Node> {
  const { nextKey, ...rest } = node;
  if (nextKey !== publicKey) return nothing(node.publicKey === publicKey ? 'it is its key already' : 'it has named another key since');
  const next: Node = { ...rest, publicKey: nextKey };
  const keys = { fingerprint: fingerprintOf(nextKey), before: fingerprintOf(node.publicKey) };
  return write(next, 'its next key has signed', { events: [concluded('node.rekeyed', next, keys)] });
}
