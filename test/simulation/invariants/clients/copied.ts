import type { Client, ClientAlias } from '../../../../lib/clients/client.ts';
import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import type { Answered, Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { nodeOfPin, ZonePast } from '../zones/zone-past.ts';

/** How long what a boot has said may still come in once the next one has spoken, in ms, as it is stated. */
const underWayMs = 5_000;

type Known = Exclude<Client, { standing: 'banned' }>;

/** A boot that speaks until another does, and when it was last answered. */
type Turn = { readonly boot: string; at: number };

const knownIn = (row: Row | undefined): Known | undefined => {
  const body = row?.gone ? undefined : (row?.body as Client | ClientAlias | undefined);
  return body === undefined || body.standing === 'alias' || body.standing === 'banned' ? undefined : body;
};

/** The rows of client systems that a commit wrote, as they were and are. */
const stepsOf = (changes: readonly Committed[]) =>
  changes.flatMap(({ before, after }) =>
    after.key.sk === 'client' && (after.body as Client | ClientAlias).standing !== 'alias'
      ? [{ fp: (after.body as Client).fp, before: knownIn(before), after: knownIn(after), because: after.because }]
      : [],
  );

/** A machine that was cloned with its daemon's folder is the first one to all who look at its key. */
export const copiedIdentities: Invariant = {
  name: 'a-copied-identity-is-found-out',
  says: 'of two machines that run with one key and name their boots neither is answered a third time in turn with the other, one after the other, but what is stored says that there are two',
  begin: ({ violated }) => {
    const turns = new Map<string, Turn[]>();
    const rows = new Map<string, Known>();
    const take = (fp: string, boot: string, { askedAt, at }: Answered): void => {
      const past = turns.get(fp) ?? [];
      turns.set(fp, past);
      const last = past.at(-1);
      if (last?.boot === boot) {
        last.at = Math.max(last.at, at);
        return;
      }
      // Which of the two came first, nobody can tell: it begins anew.
      if (last && askedAt <= last.at + underWayMs + skewMs) past.length = 0;
      past.push({ boot, at });
      const [a, b, c, d, e] = past.slice(-5).map((turn) => turn.boot);
      const row = rows.get(fp);
      if (e !== undefined && a === c && c === e && b === d && row && !row.copied)
        violated(`${fp.slice(0, 8)}: boots ${a} and ${b} took turns`);
    };
    return {
      committed: (changes) => {
        for (const { fp, before, after } of stepsOf(changes)) {
          if (after) rows.set(fp, after);
          else rows.delete(fp);
          // An operator has settled it, it was forgotten in between, or it is none any more.
          if (!after || !before || (before.boots && !after.boots) || (before.copied && !after.copied)) turns.delete(fp);
        }
      },
      answered: (call) => {
        const { publicKey, boot } = (call.path === '/system/knock' ? call.sent : {}) as { publicKey?: string; boot?: string };
        if (boot !== undefined && publicKey !== undefined && call.status === 200 && call.signed) take(fingerprintOf(publicKey), boot, call);
      },
    };
  },
};

/** A restart must not cost a machine its next node. */
export const onlyCopies: Invariant = {
  name: 'only-a-copy-is-held-for-two',
  says: 'what is stored says of no machine that there are two, unless another has run with its key',
  begin: ({ violated, world }) => ({
    committed: (changes) => {
      for (const { fp, before, after, because } of stepsOf(changes)) {
        if (!after?.copied || before?.copied) continue;
        const system = world().systems.find((one) => one.fp === fp);
        if (!system?.wasCopied) violated(`${fp.slice(0, 8)}: ${because}, and no other machine has run with its key`);
      }
    },
  }),
};

/** Whichever of the two is the machine, what it works with stays; and neither is sent anywhere. */
export const heldForTwo: Invariant = {
  name: 'a-key-of-two-is-given-no-node',
  says: 'a client system for which two machines run keeps the node that it has, or what an operator has put in its place, and is assigned no other until that is settled; no token accepts it',
  begin: ({ violated }) => {
    const zones = new ZonePast();
    return {
      committed: (changes) => {
        zones.take(changes);
        for (const { fp, before, after, because } of stepsOf(changes)) {
          if (!before?.copied || !after?.copied) continue;
          const [was, is] = [before, after].map((one) => (one.standing === 'accepted' ? one.told : undefined));
          const isInPlaceOf = was && is && nodeOfPin(zones.now(after.zone ?? '') ?? {}, was) === is.index;
          if (is && is.node !== was?.node && !isInPlaceOf)
            violated(`${fp.slice(0, 8)} went from ${was?.node ?? 'no node'} to ${is.node}: ${because}`);
          const isByToken = before.standing === 'pooled' && after.standing === 'accepted' && after.acceptedBy?.startsWith('token:');
          if (isByToken) violated(`${fp.slice(0, 8)} was accepted by a token: ${because}`);
        }
      },
    };
  },
};
