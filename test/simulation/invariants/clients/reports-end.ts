import type { DeadLetter } from '../../../../lib/runtime/dead-letter.ts';
import type { Sent } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';

/** What can never succeed is known by these; everything else is transient. */
const poison = new Set(['malformed-json', 'unknown-type', 'wrong-shape', 'not-from-bus']);

type Taken = Sent & { readonly report: string | undefined };

/** A report that nobody ever answers for is a change of the world that Muster never hears of. */
export const reportsEnd: Invariant = {
  name: 'every-report-comes-to-an-end',
  says: 'every message that a queue took was decided upon, was too late and counted, grew older than its queue keeps any, or is a dead letter with its reason; only what came by the bus is poison',
  begin: ({ violated, world, kernel }) => {
    const open = new Map<string, Taken>();
    const ended = new Set<string>();
    const letters = new Map<string, DeadLetter>();
    /** When a letter ends by itself, whatever nobody did about it. */
    const endsAt = new Map<string, number>();
    /** The message that a letter was last given back as. */
    const givenBack = new Map<string, string>();
    const isOver = ({ id, report, letter }: Taken): boolean => {
      if ((report !== undefined && ended.has(report)) || ended.has(id)) return true;
      // One that was given back dies in its letter.
      return letter !== undefined && (letters.get(letter.id)?.died ?? 0) >= letter.attempt;
    };
    return {
      sent: (message) => {
        if (message.letter) givenBack.set(message.letter.id, message.id);
        if (isReport(message)) open.set(message.id, { ...message, report: reportOf(message.body) });
      },
      logged: (_by, code, { id }) => {
        if (code === 'report.applied' || code === 'heartbeat.late') ended.add(String(id));
      },
      committed: (changes) => {
        for (const { after } of changes) {
          if (!after.key.pk.startsWith('dead')) continue;
          const letter = after.body as DeadLetter;
          const wrong = wronglyDead(letter);
          if (wrong) violated(`dead letter ${letter.id} of ${letter.queue}: ${wrong} (${letter.last.code}: ${letter.last.reason})`);
          letters.set(letter.id, letter);
          endsAt.set(letter.id, after.expiresAt ?? Number.POSITIVE_INFINITY);
          ended.add(letter.id);
        }
      },
      unrest: () => {
        const aged = [...world().cluster.queues.values()].flatMap((queue) => queue.aged);
        for (const { id } of aged) ended.add(id);
        for (const [id, taken] of open) if (isOver(taken)) open.delete(id);
        const left = [...letters.values()].filter(
          (letter) => letter.queue !== 'feed' && endsAt.get(letter.id)! > kernel.now && isLeft(letter, ended, givenBack.get(letter.id)),
        );
        return [
          ...[...open].map(([id, { queue, body }]) => `${id} of ${queue} was never heard of again: ${body}`),
          ...left.map(({ id, status, last }) => `dead letter ${id} is ${status}: ${last.code}`),
        ];
      },
    };
  },
};

/** A sweep sends itself the next one, and what comes of deliveries is an invariant of its own. */
const isReport = ({ queue }: Sent): boolean => queue !== 'sweeps' && queue !== 'webhooks';

function reportOf(body: string): string | undefined {
  try {
    const { id, report } = JSON.parse(body) as { id?: string; report?: { id?: string } };
    return id ?? report?.id;
  } catch {
    return undefined;
  }
}

function wronglyDead({ via, last, first, deaths, died }: DeadLetter): string | undefined {
  if (!last.reason || !first.reason || !last.code) return 'it does not say why';
  if (via === 'door' && poison.has(last.code)) return 'a door took what can never succeed';
  return deaths > died + 1 ? `attempt ${died} died, and ${deaths} are counted` : undefined;
}

/**
 * What failed transiently is given back until it is decided upon; a given back one is over once its report is, it has
 * died again, or it grew too old.
 */
function isLeft({ status, last, message, queue }: DeadLetter, ended: ReadonlySet<string>, givenBack = ''): boolean {
  if (status === 'dropped') return false;
  if (status === 'dead') return !poison.has(last.code);
  return queue !== 'webhooks' && !ended.has(reportOf(message) ?? '') && !ended.has(givenBack);
}
