import { type AnchorHTMLAttributes, type ComponentType, lazy, type MouseEvent, startTransition, useSyncExternalStore } from 'react';
import { mount } from './mount.ts';

/** Where the page lives on its server. */
const base = `${mount}/ui`;

/** What an address asks of a view: parameters of its path, and of its query. Both are texts, as a person may edit them. */
export type Place = { readonly path: string; readonly search: Readonly<Record<string, string>> };
export type ViewProps = { readonly params: Readonly<Record<string, string>>; readonly search: Readonly<Record<string, string>> };
export type View = {
  readonly path: string;
  readonly title: string;
  readonly load: () => Promise<{ readonly default: ComponentType<ViewProps> }>;
};

/** A view that is loaded when it is first opened, and its path as a pattern: `/nodes/:id`. */
export function view(path: string, title: string, load: View['load']): View & { readonly component: ComponentType<ViewProps> } {
  return { path, title, load, component: lazy(load) };
}

const listeners = new Set<() => void>();
const changed = (): void =>
  startTransition(() => {
    for (const listener of listeners) listener();
  });
const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) addEventListener('popstate', changed);
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The place that an address names. */
export function placeOf({ pathname, search }: { readonly pathname: string; readonly search: string }): Place {
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  return { path: path.replace(/\/+$/, '') || '/', search: Object.fromEntries(new URLSearchParams(search)) };
}

/** The address of a place within this page; what is undefined or empty in the search is left out. */
export function hrefOf(path: string, search: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  const query = new URLSearchParams(given).toString();
  return `${base}${path}${query === '' ? '' : `?${query}`}`;
}

/** The parameters of a path by a pattern such as `/nodes/:id`; undefined when it is of another form. */
export function paramsOf(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [n, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = decoded(given[n]!);
    else if (part !== given[n]) return undefined;
  }
  return params;
}

/** A part of an address; one that nobody can decode is taken as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The place where the page is; the component renders again when it changes. */
export function usePlace(): Place {
  const href = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  return placeOf(new URL(href, location.origin));
}

/** Goes to a place of this page; `replace` leaves no entry to go back to. */
export function go(path: string, search: Readonly<Record<string, string | undefined>> = {}, { replace = false } = {}): void {
  const href = hrefOf(path, search);
  if (href === location.pathname + location.search) return;
  const isAnother = hrefOf(path) !== location.pathname;
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  changed();
  // Another view begins at its top; going back, the browser knows where one was.
  if (isAnother && !replace) scrollTo(0, 0);
}

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & {
  readonly to: string;
  readonly search?: Readonly<Record<string, string | undefined>>;
};

/** A link within the page. With a modifier key or another button it is the browser's, as any link. */
export function Link({ to, search, ...rest }: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to, search);
  };
  return <a href={hrefOf(to, search)} onClick={follow} {...rest} />;
}
