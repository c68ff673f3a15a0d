import type { EpochMs } from '../../../lib/core/time.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import type { Invariant } from './invariant.ts';
import { nodeSteps, skewMs, told } from './rows.ts';

type Report = {
  readonly id: string;
  readonly type?: string;
  readonly node?: string;
  readonly seq?: number;
  readonly incarnation?: number;
} & {
  readonly receivedAt?: EpochMs;
  readonly data?: { readonly flushed?: number; readonly boot?: { readonly id: string } };
};
type Vouched = { readonly by: string; readonly zone: string; readonly at?: string };

/** The report that a message carries, and who vouches for what it says; undefined where nobody does. */
export function vouchedIn(body: string): (Report & { readonly vouched: Vouched }) | undefined {
  if (!body.includes('"vouched":{')) return undefined;
  const said = JSON.parse(body) as { readonly vouched: Vouched; readonly report?: Report } & Report;
  return { ...(said.report ?? said), vouched: said.vouched };
}

/** Whether a node-up was listened to, by what came of it: who may not speak for the node, or might not yet, is not. */
export const isListenedTo = (because: unknown): boolean =>
  !/^no administrator|may vouch only for nodes of zone|before the source of its liveness changed/.test(String(because));

const ofLife = new Set(['node.up', 'node.ready', 'node.heartbeat']);

/** Whoever keeps a node alive decides where its client systems are. */
export const ownVoice: Invariant = {
  name: 'a-node-has-one-voice',
  says: 'the life of a node changes by what is vouched for only where an administrator has said so and the sender speaks for its zone, and by what its agent says only elsewhere',
  begin: ({ violated }) => {
    const vouched = new Map<string, Vouched>();
    const agents = new Set<string>();
    return {
      sent: ({ body, via }) => {
        const said = vouchedIn(body);
        if (said) vouched.set(said.id, said.vouched);
        else if (via === 'door' && body.includes('"node.')) {
          const { id, type } = JSON.parse(body) as Report;
          if (type !== undefined && ofLife.has(type)) agents.add(id);
        }
      },
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const sender = vouched.get(step.cause);
          if (sender && !step.before?.vouched) violated(`${told(step)}: nobody has said that ${sender.by} may vouch for it`);
          if (sender && sender.zone !== step.before?.zone) violated(`${told(step)}: ${sender.by} speaks for ${sender.zone}`);
          if (agents.has(step.cause) && step.before?.vouched) violated(`${told(step)}: its agent speaks, and another vouches for it`);
        }
      },
    };
  },
};

/** What one says by the incarnation of another has the numbers of another, and the other is not heard any more. */
export const nextVoice: Invariant = {
  name: 'another-voice-begins-with-a-node-up',
  says: 'once an administrator has another speak of the life of a node that was up, it is heard first by a node-up that was received since, as a boot of its own',
  begin: ({ violated }) => {
    const ups = new Map<string, EpochMs>();
    /** Since when another is to speak of a node, and has not yet. */
    const awaited = new Map<string, EpochMs>();
    return {
      sent: ({ body, via }) => {
        const said = vouchedIn(body) ?? (via === 'door' && body.includes('"node.up"') ? (JSON.parse(body) as Report) : undefined);
        if (said?.type !== 'node.up') return;
        const at = 'vouched' in said ? (said as Report & { readonly vouched: Vouched }).vouched.at : undefined;
        ups.set(said.id, at === undefined ? said.receivedAt! : (Date.parse(at) as EpochMs));
      },
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const { before, after } = step;
          const since = awaited.get(step.id);
          if (after?.heardAt !== before?.heardAt && since !== undefined) {
            const at = ups.get(step.cause);
            if (at === undefined || at < since - skewMs) violated(`${told(step)}: it is heard, and not by a node-up since ${since}`);
            if (after?.incarnation === before?.incarnation) violated(`${told(step)}: another speaks in incarnation ${after?.incarnation}`);
            awaited.delete(step.id);
          }
          if (before && after && before.vouched !== after.vouched && after.incarnation > 0) awaited.set(step.id, step.at);
        }
      },
    };
  },
};

/** A sender that sends again, or late, would bring a dead machine back. */
export const vouchedOnce: Invariant = {
  name: 'an-older-node-up-revives-nobody',
  says: 'a node that is vouched for begins a boot, or is back, by a node-up with a higher number than any of its sender that was decided on before, whatever that did, and by no other',
  begin: ({ violated }) => {
    const ups = new Map<string, { readonly about: string; readonly seq: number }>();
    const decided = new Map<string, number>();
    const isDecided = ({ about, seq }: { readonly about: string; readonly seq: number }): void => {
      decided.set(about, Math.max(seq, decided.get(about) ?? -1));
    };
    return {
      sent: ({ body }) => {
        const said = vouchedIn(body);
        if (said?.type === 'node.up' && said.seq !== undefined)
          ups.set(said.id, { about: `${said.node} ${said.vouched.by}`, seq: said.seq });
      },
      logged: (_by, code, { id, because }) => {
        const up = code === 'report.applied' ? ups.get(String(id)) : undefined;
        if (up && isListenedTo(because)) isDecided(up);
      },
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const up = ups.get(step.cause);
          // When somebody looks at it again is no part of what a row says: its cause is that of the commit before.
          if (up === undefined || step.after?.heardAt === step.before?.heardAt) continue;
          const last = decided.get(up.about) ?? -1;
          if (up.seq <= last) violated(`${told(step)}: its node-up ${up.seq} counted after ${last}`);
          isDecided(up);
        }
      },
    };
  },
};

/** Whoever watches a machine must be able to keep its node up by what events say alone. */
export const vouchedUp: Invariant = {
  name: 'who-is-vouched-for-is-up-at-the-end',
  says: 'at rest each machine that is seen to live, and that an administrator has marked, is a node that is up in the boot that it is in',
  begin: ({ world }) => ({
    unrest: () => {
      const { watchtower, cluster } = world();
      return (watchtower?.machines ?? []).flatMap((machine) => {
        const row = cluster.store.rows.rows.get(nameOf(keyOf({ noun: 'node', id: machine.id })));
        const node = row && !row.gone ? (row.body as Node) : undefined;
        if (node?.status === 'up' && node.vouched && node.boot?.id === machine.boot) return [];
        return [`${machine.fqdn} is ${node?.status ?? 'no node'} in ${node?.boot?.id}, and was seen to be up in ${machine.boot}`];
      });
    },
  }),
};
