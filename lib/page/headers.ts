/**
 * What a page of Muster may do in a browser: run and show what comes from its own address, and nothing else. Text
 * becomes script or markup nowhere, no other page can frame it, and its forms go nowhere else
 * (https://www.w3.org/TR/CSP3/).
 */
export const pagePolicy: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "require-trusted-types-for 'script'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/**
 * The headers of every file of the page. No other site can load one, open it in a window that it still holds, or learn
 * from where its reader went on.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': pagePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
