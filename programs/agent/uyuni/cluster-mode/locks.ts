import { openWritesIn } from '../../../../lib/uyuni/api/common-writes.ts';
import type { ContentKind } from '../../../../lib/uyuni/content/kinds.ts';

/** What of a server is locked for a kind of content, as patterns for the path of a request. */
export type Locks = {
  /** Pages that are locked whatever is done there; undefined where a kind has none. */
  readonly forms: string | undefined;
  /** Pages that are locked when something is sent there; undefined where a kind has none. */
  readonly writes: string | undefined;
  /** Calls of programs: the JSON interface, and what the server's own pages call. Locked when something is sent. */
  readonly calls: string;
};

/** Parameters by which older pages of a server write, also in the address of a page. */
export const writingQuery = '(?:^|&)(?:submitted|dispatch|confirm|items_selected)=';

const below = (paths: readonly string[]): string | undefined => (paths.length === 0 ? undefined : `^/rhn/(?:${paths.join('|')})`);
const isCall = (path: string): boolean => path.startsWith('manager/api/') || path.startsWith('manager/upload/');

/** What is locked for a kind of content. */
export const locksOf = ({ namespaces, forms, writes }: ContentKind): Locks => ({
  forms: below(forms),
  writes: below(writes.filter((path) => !isCall(path))),
  calls: below([...namespaces.map(methodsIn), ...writes.filter(isCall)])!,
});

/** The methods of a namespace in the JSON interface, but for those that leave common content as it is. */
function methodsIn(namespace: string): string {
  const open = openWritesIn(namespace);
  const but = open.length === 0 ? '' : `(?!(?:${open.join('|')})/?$)`;
  return `manager/api/${namespace.replaceAll('.', '/')}/${but}[^/]+/?$`;
}
