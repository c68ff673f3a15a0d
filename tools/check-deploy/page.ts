import { expected } from './progress.ts';

/**
 * The page of the deployment: its document with its policy, a script that may be kept for ever, in Brotli as it was
 * deployed, and sessions that no other page can begin. Throws when an answer is another.
 */
export async function pageIsServed(base: string): Promise<void> {
  const document = await fetch(`${base}/ui/nodes`, { headers: { accept: 'text/html' } });
  const text = await document.text();
  expected('the document of the page', document.status === 200 && text.includes('<div id="root">'), [document.status, text]);
  const policy = document.headers.get('content-security-policy') ?? '';
  expected('its policy', policy.startsWith("default-src 'none'; script-src 'self'"), policy);
  const [, path] = /src="\/ui\/(main-\w+\.js)"/.exec(text) ?? [];
  // The bytes came through the API as they are, or nobody could decode them.
  const script = await fetch(`${base}/ui/${path}`, { headers: { 'accept-encoding': 'br' } });
  const code = await script.text();
  expected('a script in Brotli', script.headers.get('content-encoding') === 'br' && code.length > 100, [
    script.status,
    [...script.headers],
  ]);
  expected('that may be kept', script.headers.get('cache-control') === 'public, max-age=31536000, immutable', [...script.headers]);
  const body = JSON.stringify({ secret: 'msl_' });
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-site' };
  const begun = await fetch(`${base}/session`, { method: 'POST', headers, body });
  expected('no session for another page', begun.status === 403, [begun.status, await begun.text()]);
}
