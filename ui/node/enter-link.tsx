import type { ReactNode } from 'react';
import { mount } from '../mount.ts';

/** Where the document is that leads on to a page of a Uyuni server: its overview unless `path` is another. */
export const enterHref = (node: string, path?: string): string =>
  `/api/v1/nodes/${node}/enter${path === undefined ? '' : `?${new URLSearchParams({ path })}`}`;

/** The page of a system on its server, by its number there. */
export const systemPath = (number: number): string => `/rhn/systems/details/Overview.do?sid=${number}`;

type Props = { readonly node: string; readonly path?: string; readonly children: ReactNode };

/**
 * Opens a page of a Uyuni server as the person who is signed in here, in a tab of its own that cannot reach back. A
 * page that a server of a node passes on leads to none: agents take forms of Muster's own address.
 */
export const EnterLink = ({ node, path, children }: Props) =>
  mount === '' && (
    <a className="button" href={enterHref(node, path)} target="_blank" rel="noopener">
      {children}
    </a>
  );
