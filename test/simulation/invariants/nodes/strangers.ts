import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { lateMaxMs } from '../../ports/table.ts';
import type { Answered } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { isMember, nodeSteps } from '../rows.ts';

const callOf = /^\/nodes\/([^/]+)\/(heartbeat|events|leaving|up)$/;

type Known = { readonly node: Node | undefined; readonly since: EpochMs };

/**
 * An agent does what its answers say: one that is wrongly sent away flushes all it has, one that is wrongly welcomed
 * never returns.
 */
export const strangers: Invariant = {
  name: 'doors-know-who-is-a-member',
  says: 'an agent of a node that is no member, was removed, or of another boot than the acknowledged one, is told so; one that is in order is not',
  begin: ({ violated }) => {
    const known = new Map<string, Known>();
    return {
      committed: (changes) => {
        for (const { at, id, before, after } of nodeSteps(changes)) {
          const isSame =
            after?.status === before?.status &&
            after?.incarnation === before?.incarnation &&
            after?.boot?.id === before?.boot?.id &&
            after?.vouched === before?.vouched &&
            after?.removedAt === before?.removedAt;
          known.set(id, { node: after, since: isSame ? (known.get(id)?.since ?? at) : at });
        }
      },
      answered: (call) => {
        const [, id, what] = callOf.exec(call.path) ?? [];
        const { node, since } = known.get(id ?? '') ?? { node: undefined, since: 0 };
        // A signature that is not taken says nothing: an agent learns from the refusal for whom to sign, and by which
        // clock, and calls again. Nor does one that somebody else has brought before it.
        if (call.status === 401 || call.body.includes('nonce-reused')) return;
        // What changed while the door was at work may be answered either way. A heartbeat that was heard before goes by
        // a reading that may be late.
        if (!id || since >= call.askedAt - (what === 'heartbeat' ? lateMaxMs : 0) || call.status >= 500) return;
        const isRemoved = node?.removedAt !== undefined;
        const wrong = isRemoved ? wrongRemoved(call) : wrongCall(node, what, call);
        if (wrong)
          violated(
            `${what} of ${id.slice(0, 8)}, ${node?.status}, incarnation ${node?.incarnation}: ${call.status} ${call.body}: ${wrong}`,
          );
      },
    };
  },
};

/** Whoever was removed is told so, whatever it says. */
const wrongRemoved = ({ status }: Answered): string | undefined => (status === 410 ? undefined : 'it was not told that it is removed');

/**
 * What is wrong with the answer to a call of a node that was not removed. Who is vouched for does not speak of its
 * life itself, whatever it says.
 */
function wrongCall(node: Node | undefined, what: string | undefined, call: Answered): string | undefined {
  if (node?.vouched && (what === 'up' || what === 'heartbeat'))
    return call.body.includes('vouched-for') ? undefined : 'it was not told that another vouches for it';
  return what === 'up' ? wrongUp(node, call) : wrongWord(node, call);
}

type Word = { readonly incarnation?: number };

function wrongWord(node: Node | undefined, { status, sent }: Answered): string | undefined {
  const words = (Array.isArray(sent) ? sent : [sent]) as readonly Word[];
  const isOwn = isMember(node) && node.status !== 'down' && words.every(({ incarnation }) => incarnation === node.incarnation);
  if (!isOwn) return status < 300 ? 'a stranger was welcomed' : undefined;
  const quarantined = node.status === 'quarantined';
  return (status === 409 && !quarantined) || status === 410 || status === 404 ? 'a member was sent away' : undefined;
}

function wrongUp(node: Node | undefined, { status, sent }: Answered): string | undefined {
  const { boot, flushed } = sent as { readonly boot: { readonly id: string }; readonly flushed?: number };
  if (!node) return status < 300 ? 'nobody was welcomed' : undefined;
  if (node.status === 'dropped' && flushed !== node.generation) return status === 409 ? undefined : 'it was not told to flush';
  if (status === 200) return isMember(node) && node.boot?.id === boot.id ? undefined : 'a boot was acknowledged that is not';
  const isClone = node.boot?.before === boot.id;
  return status === 409 && node.status !== 'dropped' && !isClone ? 'a member was sent away' : undefined;
}
