import * as z from 'zod';

/**
 * What every published event travels in: CloudEvents 1.0, the same on the bus (as the entry's `detail`) and in the
 * stream of the embedded host. `eventseq` counts the events of the subject, so holes and repeats show by it.
 */
export const Envelope = z.strictObject({
  specversion: z.literal('1.0'),
  id: z.string().describe('<subject>#<eventseq>: the same on every repeat'),
  source: z.string().describe('muster/<deployment>'),
  type: z.string(),
  subject: z.string().describe('What it is about: node/<id>, client/<fingerprint> or zone/<name>'),
  time: z.iso.datetime().describe('When it was concluded'),
  dataschema: z.string().describe('muster:<type>:<version>'),
  datacontenttype: z.literal('application/json'),
  eventseq: z.int().positive().describe('Counts the events of the subject, without holes'),
  data: z.record(z.string(), z.json()),
});
export type Envelope = z.infer<typeof Envelope>;
