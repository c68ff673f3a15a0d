import { minionFingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import type { Answered } from '../../watching.ts';
import { byteOf, clientCall } from '../client-calls.ts';
import { type ClientPast, ClientTruth } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';

const names: Readonly<Record<string, string>> = { '0': 'New', '1': 'Onboarded', '2': 'Orphan', '3': 'Deleted' };

/** Every move of the byte, a repeat included. A machine that was accepted is never New again, and a ban is for ever. */
const moves: Readonly<Record<string, string>> = { '0': '023', '2': '213', '1': '123', '3': '3' };

/** What a machine is, it reads from one byte; a byte that never could have followed would make it do anything. */
export const byte: Invariant = {
  name: 'the-byte-moves-along-its-automaton',
  says: 'New until accepted, then Orphan, Onboarded and Orphan again, Deleted by a ban and for ever, as its row says, if it has one; what a cached map still says ends with its age',
  begin: ({ violated, world }) => {
    const clients = new ClientTruth();
    const last = new Map<string, { readonly at: number; readonly byte: string }>();
    return {
      committed: clients.take.bind(clients),
      answered: (call) => {
        const said = byteOf(call);
        if (said === undefined) return;
        const { id, client, name } = whoAsked(call, said, clients);
        // Whoever comes with the minion of a banned machine is that one, and needs no row of its own for that.
        if (said === '3' && client?.bannedAt === undefined && isBannedByMinion(call, clients)) {
          const wrong = unsaid(client, call);
          if (wrong) violated(`${id.slice(0, 8)} was told by ${call.by} that it is banned: ${wrong}`);
          return;
        }
        const maxAgeMs = name === 'knock' ? 0 : world().cluster.zoneMaxAgeMs + skewMs;
        const wrong = wrongly(said, client, call, maxAgeMs);
        if (wrong) violated(`${id.slice(0, 8)} was answered ${names[said] ?? said} at ${name} by ${call.by}: ${wrong}`);
        const before = last.get(id);
        const isAfterBan = before?.byte === '3' && client?.bannedAt !== undefined && call.askedAt <= client.bannedAt + maxAgeMs;
        if (before && call.askedAt >= before.at && !isAfterBan && !moves[before.byte]?.includes(said))
          violated(`${id.slice(0, 8)} was ${names[before.byte]} and then ${names[said]}`);
        if (!before || call.at > before.at) last.set(id, { at: call.at, byte: said });
      },
    };
  },
};

/**
 * Whose byte a call asked for. Somebody asked by a key while a knock was under way that said whose it is: then New is
 * true of the key, and any other answer of the machine.
 */
function whoAsked(call: Answered, said: string, clients: ClientTruth) {
  const { name, fp } = clientCall(call)!;
  const isNews = clients.isNewer(fp, call.askedAt);
  const client = isNews && said === '0' ? undefined : clients.of(fp);
  return { name, client, id: isNews ? fp : (client?.fp ?? fp) };
}

/** Anybody can send a minion's proof in a call without a signature, and must not have a machine banned by it. */
const unsaid = (client: ClientPast | undefined, { signed, askedAt }: Answered): string | undefined =>
  signed && client && client.knownAt < askedAt - skewMs ? 'its row says nothing of that' : undefined;

function isBannedByMinion({ sent, at }: Answered, clients: ClientTruth): boolean {
  const minion = (sent as { minion?: { publicKey: string } } | undefined)?.minion;
  const bannedAt = minion && clients.of(minionFingerprintOf(minion.publicKey))?.bannedAt;
  return bannedAt !== undefined && bannedAt <= at;
}

function wrongly(said: string, client: ClientPast | undefined, { askedAt, at }: Answered, maxAgeMs: number): string | undefined {
  const { acceptedAt, bannedAt } = client ?? {};
  const wasBanned = bannedAt !== undefined && bannedAt < askedAt - maxAgeMs;
  switch (said) {
    case '0':
      return [acceptedAt, bannedAt].some((moment) => moment !== undefined && moment < askedAt)
        ? 'it had been accepted or banned'
        : undefined;
    case '1':
    case '2':
      if (acceptedAt === undefined || acceptedAt > at) return 'nobody had accepted it';
      return wasBanned ? `it was banned ${askedAt - bannedAt} ms before it asked` : undefined;
    case '3':
      return bannedAt === undefined || bannedAt > at ? 'nobody had banned it' : undefined;
    default:
      return 'there is no such byte';
  }
}
