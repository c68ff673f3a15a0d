import { describe, expect, it } from 'vitest';
import { PublicKey, showFingerprint } from '../../../lib/core/ids.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { nodeView } from '../../../lib/nodes/view.ts';
import { aNode, at, nodeFqdn, nodeId } from '../../../tools/support/builders.ts';
import { publicKeyOf } from '../../../tools/support/players.ts';

const next = PublicKey.parse(publicKeyOf('the next key'));
const other = publicKeyOf('another key');
const named: Node = { ...aNode(), nextKey: next };
const take = (node: Node, publicKey: string) => decide(node, { type: 'take-key', id: 'call-1', publicKey }, at(10));

describe('the next key of a node', () => {
  it('is the key once it has signed, and listeners are told of both', () => {
    expect(take(named, next)).toEqual({
      does: 'write',
      next: { ...aNode(), publicKey: next },
      events: [
        {
          type: 'node.rekeyed',
          version: 1,
          data: {
            node: nodeId(1),
            fqdn: nodeFqdn(1),
            zone: 'default',
            incarnation: 1,
            generation: 1,
            fingerprint: fingerprintOf(next),
            before: fingerprintOf(aNode().publicKey),
          },
        },
      ],
      because: 'its next key signed a call',
    });
  });

  it('is told of once: what was taken, or never named, changes nothing', () => {
    expect(take({ ...aNode(), publicKey: next }, next)).toEqual({ does: 'nothing', because: 'this is already its key' });
    expect(take(named, other)).toEqual({ does: 'nothing', because: 'it has since named another key' });
  });

  it('is no conclusion while it is only named', () => {
    expect(decide(aNode(), { type: 'name-key', id: 'call-1', publicKey: next }, at(10))).toEqual({
      does: 'write',
      next: named,
      events: [],
      because: 'it named its next key',
    });
  });
});

describe('a node that is shown', () => {
  const shown = (node: Node, keySince?: ReturnType<typeof at>) =>
    nodeView(node, 'so it is', { slots: 0, systemsAbout: 0, keySince, rate: { usualMs: 0, admission: undefined, pace: undefined } });
  const fingerprint = showFingerprint(fingerprintOf(aNode().publicKey));

  it('shows its key as an administrator compares it, since when, and the one that is to follow', () => {
    expect(fingerprint).toMatch(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/);
    expect(shown(aNode()).key).toEqual({ fingerprint });
    expect(shown(named, at(5)).key).toEqual({
      fingerprint,
      since: new Date(at(5)).toISOString(),
      next: showFingerprint(fingerprintOf(next)),
    });
  });

  it('is dropped for programs also when it was removed, and says since when it is', () => {
    const dropped = aNode({ status: 'dropped', droppedAt: at(20), planned: false });
    expect(shown(dropped)).not.toHaveProperty('removedAt');
    expect(shown({ ...dropped, removedAt: at(15) })).toMatchObject({ status: 'dropped', removedAt: new Date(at(15)).toISOString() });
  });
});
