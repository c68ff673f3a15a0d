import { Link } from '../router.tsx';

type Tab = { readonly id: string; readonly title: string };

/** Parts of a view, each with an address of its own: links, since that is what they are. */
export const Tabs = ({ path, tabs, at }: { readonly path: string; readonly tabs: readonly Tab[]; readonly at: string }) => (
  <nav className="tabs" aria-label="Parts of this view">
    {tabs.map(({ id, title }) => (
      <Link
        key={id}
        to={path}
        search={{ tab: id === tabs[0]!.id ? undefined : id }}
        {...(id === at && { 'aria-current': 'page' as const })}
      >
        {title}
      </Link>
    ))}
  </nav>
);
