import { isDeepStrictEqual } from 'node:util';
import type { Envelope } from '../../lib/ports/bus/bus.ts';
import type { History } from './evidence.ts';
import type { Rule } from './rules.ts';

/** What is said of events: in the history, and to who follows the stream. */
export const eventRules: readonly Rule[] = [
  {
    name: 'history',
    says: 'the history of a subject has every event that the subject counts, in order and without a hole',
    against: ({ stored, history }) =>
      [...stored.eventSeqs].flatMap(([subject, count]) => {
        const numbers = (history.get(subject) ?? []).map(({ seq }) => seq);
        const whole = Array.from({ length: count }, (_, n) => n + 1);
        return isDeepStrictEqual(numbers, whole)
          ? []
          : [`${subject} counts ${count} events, its history has ${numbers.join(', ') || 'none'}`];
      }),
  },
  {
    name: 'stream',
    says: 'what came to who follows the stream is in the history as it came',
    against: ({ history, followed }) =>
      [...followed.events].flatMap(([subject, events]) => {
        const known = new Map((history.get(subject) ?? []).map((item) => [item.seq, item]));
        return [...events.values()].flatMap((event) => otherThan(event, known.get(event.eventseq)));
      }),
  },
  {
    name: 'repeat',
    says: 'an event that comes again has the id it had and is what it was',
    against: ({ followed }) => followed.faults,
  },
];

function otherThan(event: Envelope, item: History[number] | undefined): string[] {
  if (!item) return [`${event.id} (${event.type}) came, and is not in the history`];
  const { type, version, at, data } = item;
  const same = event.type === type && event.dataschema === `muster:${type}:${version}` && event.time === at;
  return same && isDeepStrictEqual(event.data, data) ? [] : [`${event.id} came as ${event.type} and is another ${type} in the history`];
}
