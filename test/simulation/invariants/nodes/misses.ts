import type { Client } from '../../../../lib/clients/client.ts';
import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Asked, Committed } from '../../watching.ts';

/**
 * How long a node that beats every 10 s is silent at least before its clients are believed: one and a half intervals.
 */
export const missedMs = 15_000;

/** Knocks of client systems that say that they lost their node: of which, from which network, and when. */
export class Misses {
  readonly #said: { readonly fp: string; readonly from: string; readonly at: number }[] = [];
  readonly #nodeOf = new Map<string, string>();

  /** A call is made. */
  readonly asked = ({ path, sent, source = '', at }: Asked): void => {
    const { lost, publicKey } = (sent ?? {}) as { readonly lost?: boolean; readonly publicKey?: string };
    if (path !== '/system/knock' || !lost || publicKey === undefined) return;
    this.#said.push({ fp: fingerprintOf(publicKey), from: source.split('.').slice(0, 3).join('.'), at });
  };

  /** Where client systems are confirmed. */
  committed(changes: readonly Committed[]): void {
    for (const { after } of changes) {
      const row = after.key.sk === 'client' ? (after.body as Client) : undefined;
      if (row?.standing === 'accepted' && row.told?.confirmedAt !== undefined) this.#nodeOf.set(row.fp, row.told.node);
    }
  }

  /** Whether three of a node's client systems in two networks have said so since it was last heard. */
  areEnough({ id }: Node, heardAt: number): boolean {
    const said = this.#said.filter(({ fp, at }) => at >= heardAt && this.#nodeOf.get(fp) === id);
    return new Set(said.map(({ fp }) => fp)).size >= 3 && new Set(said.map(({ from }) => from)).size >= 2;
  }
}
