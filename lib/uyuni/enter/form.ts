import type { Fqdn } from '../../core/ids.ts';

/** Where a server takes tickets: its agent answers there. */
export const actionOf = (fqdn: Fqdn): string => `https://${fqdn}/muster/enter`;

const script = 'document.forms[0].submit()';
/** SHA-256 of that line, in base64. */
const scriptHash = 'ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE=';

/**
 * A document of its own that posts a ticket to one server, at once or by its button. Neither the name of a host nor a
 * ticket has a character with a meaning in HTML.
 */
export const formOf = (fqdn: Fqdn, ticket: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${fqdn}</title>
<form method="post" action="${actionOf(fqdn)}">
<input type="hidden" name="ticket" value="${ticket}">
<button>Open ${fqdn}</button>
</form>
<script>${script}</script>
</html>
`;

/**
 * The headers of that document. It may run this one line, show nothing, and send its form to that one server, which
 * learns from where it comes, and no more: it refuses forms of any other page.
 */
export const formHeaders = (fqdn: Fqdn): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    `form-action https://${fqdn}`,
  ].join('; '),
  'referrer-policy': 'strict-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
});
