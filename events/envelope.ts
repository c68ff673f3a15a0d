import * as z from 'zod';

/**
 * The envelope of every published event: CloudEvents 1.0, the same on the bus (as the entry's `detail`) and in the
 * stream of the embedded host. `eventseq`, `because` and `who` are extension attributes: `eventseq` counts the events
 * of the subject, so that subscribers can detect gaps and repeats; the other two are as in the history.
 */
export const Envelope = z.strictObject({
  specversion: z.literal('1.0'),
  id: z.string().describe('<subject>#<eventseq>: the same on every repeat'),
  source: z.string().describe('muster/<deployment>'),
  type: z.string(),
  subject: z.string().describe('The subject of the event: node/<id>, client/<fingerprint> or zone/<name>'),
  time: z.iso.datetime().describe('When Muster concluded it'),
  dataschema: z.string().describe('muster:<type>:<version>'),
  datacontenttype: z.literal('application/json'),
  eventseq: z.int().positive().describe('Counts the events of the subject, without gaps'),
  because: z.string().optional().describe('Why Muster concluded it; events of earlier versions have none'),
  who: z.string().optional().describe('Who caused it, such as admin:anna; absent where Muster acted by itself'),
  data: z.record(z.string(), z.json()),
});
export type Envelope = z.infer<typeof Envelope>;
