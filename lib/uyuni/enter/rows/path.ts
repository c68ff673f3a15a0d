import * as z from 'zod';

/** The page of a server that a person enters by default: the overview. */
export const usualPath = '/rhn/YourRhn.do';

/** Characters of a path and a query (RFC 3986, 3.3 and 3.4); a percent sign begins an encoded byte. */
const form = /^\/(?:rhn\/(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$/;

/** What leads out of `/rhn/`, or may be read as the name of a host: steps, slashes and controls, encoded or not. */
const elsewhere = /\/\/|(?:^|\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|\?|$)|%(?:2f|5c|[01][0-9a-f]|7f)/i;

/** A page of a Uyuni server: `/`, or a path below `/rhn/` with its query. It names no host and no other server. */
export const EnterPath = z
  .string()
  .max(1_024)
  .refine((path) => form.test(path) && !elsewhere.test(path), 'a page of the server is / or a path below /rhn/');
