import type { SiteAnswer } from './route.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text as HTML shows it, between tags and in attributes with quotation marks. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

/** HTML with values in it, each of which is escaped. */
export const html = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw({ raw: parts.raw }, ...values.map(escaped));

/** A page of the site with a title; the body is HTML. It runs no script, and its style is a file of the site. */
export const page = (status: number, title: string, body: string): SiteAnswer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="/muster/page.css">
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</html>
`,
});
