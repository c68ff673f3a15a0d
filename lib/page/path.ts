/** The endings of files of the page. A path that ends so is a file, which exists or does not. */
const endings = /\.(css|html|ico|js|json|map|mjs|png|svg|txt|wasm|webp|woff2?)$/i;

/**
 * The file of the page that a path asks for: a path of `/ui/` is a file where it looks like one, and otherwise a view,
 * which the router of the page knows. Undefined where there can be none: a path that climbs, encoded or not.
 */
export function fileAt(path: string): string | undefined {
  const below = path.slice('/ui/'.length);
  if (/(^|\/|\\|%2f|%5c)(\.|%2e){1,2}(\/|\\|%2f|%5c|$)|%00/i.test(below)) return undefined;
  return endings.test(below) ? below : 'index.html';
}
