/** How a browser reached this deployment. */
export type Reached = {
  /** Whether it used TLS. Without it, only a browser on this machine reaches a deployment. */
  readonly isSecure: boolean;
  readonly port: string;
};

/** What a cookie holds: the session, what renews it, or a sign-in at the issuer that is under way. */
export type CookieUse = 'session' | 'renewal' | 'begun';

/**
 * A cookie of a use. Over TLS the prefix of its name keeps every other host and path from setting it
 * (https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#name-the-__host-prefix). On plain loopback there
 * is no such prefix, and all ports share their cookies, so the name has the port. What renews a session is only sent to
 * the paths that need it. A sign-in that is under way must survive the return from the issuer, which is another site.
 */
export function cookieFor(use: CookieUse, { isSecure, port }: Reached): { readonly name: string; readonly fixed: string } {
  const path = use === 'session' || (use === 'begun' && isSecure) ? '/' : '/session';
  const prefix = isSecure ? (path === '/' ? '__Host-' : '__Secure-') : '';
  return {
    name: `${prefix}muster-${use}${isSecure ? '' : `-${port}`}`,
    fixed: `; Path=${path}; HttpOnly; SameSite=${use === 'begun' ? 'Lax' : 'Strict'}${isSecure ? '; Secure' : ''}`,
  };
}

/** The longest value of a cookie, in characters: browsers take 4,096 bytes with the name and the attributes. */
export const cookieCharactersMax = 3_500;

/**
 * The value of a cookie in a `cookie` header; `several` when the browser has more than one of this name, which another
 * program on this machine may have set, and undefined when it has none or one that is not ours.
 */
export function cookieIn(header: string | undefined, use: CookieUse, reached: Reached): string | 'several' | undefined {
  const { name } = cookieFor(use, reached);
  const values = (header ?? '').split(';').flatMap((one) => {
    const at = one.indexOf('=');
    return one.slice(0, at).trim() === name ? [one.slice(at + 1).trim()] : [];
  });
  if (values.length > 1) return 'several';
  const [value] = values;
  return value !== undefined && /^[\w.~%+/=-]{1,4096}$/.test(value) ? value : undefined;
}

/** The `set-cookie` that stores a value for so many seconds. */
export function setCookie(use: CookieUse, reached: Reached, value: string, forS: number): string {
  const { name, fixed } = cookieFor(use, reached);
  return `${name}=${value}; Max-Age=${Math.max(0, Math.floor(forS))}${fixed}`;
}

/** The `set-cookie` that removes a cookie. */
export const removeCookie = (use: CookieUse, reached: Reached): string => setCookie(use, reached, '', 0);
