import type { LiveEvent } from '../../ui/live/event.ts';

/** An event of the second `at` of a day, as a page has it. */
export function told(at: number, type: string, given: Partial<LiveEvent> = {}): LiveEvent {
  const subject = given.subject ?? 'node/n1';
  return {
    specversion: '1.0',
    id: `${subject}#${at}`,
    source: 'muster/local',
    type,
    subject,
    time: new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString(),
    dataschema: `muster:${type}:1`,
    datacontenttype: 'application/json',
    eventseq: 1,
    because: 'it is so',
    data: { fqdn: 'node1.acme.org', zone: 'emea' },
    ...given,
  };
}
