import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { ApiKeyView } from '../api-keys/routes.ts';

/** The session of a browser: who is signed in, with which rights, and until when. */
export const SessionView = z.strictObject({
  who: z.string(),
  name: z.string(),
  rights: ApiKeyView.shape.rights,
  expires: Moment,
});
export type SessionView = z.infer<typeof SessionView>;

/** The secret of a sign-in link, in the part of its address after the `#`. */
const secret = z.string().min(1).max(200);

/** A view of the page, to which a sign-in returns: never an address of another site. */
const View = z
  .string()
  .max(500)
  .regex(/^\/ui(?!.*(\/\/|\.\.))\/[\w.~%!$&'()*+,;=:@/?-]*$/, 'a view of the page is a path that begins with /ui/');

const empty = z.strictObject({}).default({});

/**
 * Signing in with a browser, whose session is a cookie that no script can read. Only the page of this deployment can
 * call these routes, as its browser states in `sec-fetch-site`.
 */
export const sessionRoutes = {
  getSession: route({
    method: 'GET',
    path: '/session',
    summary: 'The session of this browser, if it has one, and the ways to sign in',
    scope: 'anyone',
    reply: z.strictObject({
      session: SessionView.optional(),
      /** Whether `POST /session/renew` may give another session. */
      canRenew: z.boolean(),
      methods: z.array(z.enum(['oidc', 'link'])),
    }),
    statuses: [200],
    errors: [],
    secret: true,
  }),
  beginSession: route({
    method: 'POST',
    path: '/session',
    summary: 'Sign this browser in once with the secret of a link, for 12 h at the most',
    scope: 'anyone',
    body: z.strictObject({ secret }),
    reply: SessionView,
    statuses: [201],
    errors: ['bearer-invalid', 'cross-site', 'other-session'],
    secret: true,
  }),
  endSession: route({
    method: 'POST',
    path: '/session/end',
    summary: 'Sign this browser out, here and at the issuer. Safe to repeat',
    scope: 'anyone',
    body: empty,
    reply: z.strictObject({ wasSignedIn: z.boolean() }),
    statuses: [200],
    errors: ['cross-site'],
    secret: true,
  }),
  renewSession: route({
    method: 'POST',
    path: '/session/renew',
    summary: 'Renew the session of a person who signed in at the issuer',
    scope: 'anyone',
    body: empty,
    reply: SessionView,
    statuses: [200],
    errors: ['cross-site', 'sign-in-needed', 'bearer-invalid', 'busy'],
    secret: true,
  }),
  beginAtIssuer: route({
    method: 'GET',
    path: '/session/begin',
    summary: 'Lead this browser to the issuer to sign in there; `to` is the view of the page to which it returns',
    scope: 'anyone',
    query: z.strictObject({ to: View.default('/ui/') }),
    statuses: [302],
    errors: ['cross-site', 'not-found', 'busy'],
    secret: true,
  }),
  returnFromIssuer: route({
    method: 'GET',
    path: '/session/callback',
    summary:
      'Where the issuer returns a browser. It leads on to the page: to the view where the sign-in began, or to its sign-in view with the reason in `failed`',
    scope: 'anyone',
    // The issuer decides what it sends.
    query: z.looseObject({ state: z.string().optional() }),
    statuses: [302],
    errors: [],
    secret: true,
  }),
} as const;
