import { isEmitted } from '../../../lib/ports/table/table.ts';
import { password } from '../world/service-types.ts';
import type { Invariant } from './invariant.ts';

/** What the secret of a webhook looks like, wherever it stands. */
const secretForm = /whsec_[A-Za-z0-9+/]{43}=/;

/** Whatever is in the feed may be kept elsewhere, with what came too late for it. */
export const secrets: Invariant = {
  name: 'no-secret-is-in-the-feed',
  says: 'no row that the feed hands on holds the secret of a webhook, and no answer but the one that gives it does',
  begin: ({ violated }) => ({
    heedsMarks: true,
    committed: (changes) => {
      for (const { after } of changes)
        if (isEmitted(after) && secretForm.test(JSON.stringify([after.body, after.events]))) violated(`the feed hands on ${after.key.pk}`);
    },
    answered: ({ method, path, body, by }) => {
      const gives = method === 'POST' && /^\/api\/v1\/webhooks(\/\w+\/rotate)?$/.test(path);
      if (!gives && secretForm.test(body)) violated(`${method} ${path} was answered by ${by} with a secret`);
    },
  }),
};

/** What a host keeps to itself is not there to be looked at by whoever may only look. */
export const masked: Invariant = {
  name: 'no-secret-of-a-service-is-shown',
  says: 'the admin API answers nobody with what the schema of a configuration calls a secret, nor with a variable in the environment of a process',
  begin: ({ violated }) => ({
    answered: ({ method, path, status, body, by }) => {
      if (path.startsWith('/api/v1/') && body.includes(password))
        violated(`${method} ${path} was answered ${status} by ${by} with a secret`);
    },
  }),
};
