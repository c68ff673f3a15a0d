import type { Invariant } from '../invariant.ts';

/** What every id that a preview gives ends with, alone or behind the kind of what it causes. */
const ofPreview = /(^|-)preview-\d+$/;

/** Whoever only asks what would happen has nothing happen. */
export const previews: Invariant = {
  name: 'a-preview-changes-nothing',
  says: 'no row is written because somebody asked what would happen, and nothing is sent for it',
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const { after } of changes)
        if (ofPreview.test(after.by)) violated(`${after.key.pk}|${after.key.sk} was written by ${after.by}: ${after.because}`);
    },
    sent: ({ id, queue, body }) => {
      if (/"id":"([a-z]+-)?preview-\d+"/.test(body)) violated(`message ${id} of a preview is in queue ${queue}`);
    },
  }),
};
