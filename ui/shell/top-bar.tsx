import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { OrderButton } from '../kit/order.tsx';
import { live } from '../live/live.ts';
import { asks } from '../live/queries.ts';
import { useWaitingBadge } from '../onboarding/count.ts';
import { hrefOf, Link, usePlace } from '../router.tsx';
import { signOut } from '../sign-in/session.ts';
import { applyTheme, type Theme, theme } from './theme.ts';
import { useOpened } from './use-opened.ts';

type Props = { readonly onHelp: () => void; readonly onPalette: () => void };

/** The bar on top of every view: where one can go, how the page hears, and who one is. */
export function TopBar({ onHelp, onPalette }: Props) {
  const deployment = useQuery(asks.deployment).data;
  return (
    <header className="top">
      <Link to="/" className="brand">
        <img src={hrefOf('/muster.svg')} alt="" width="24" height="24" />
        <b>Muster</b>
        <span>{deployment}</span>
      </Link>
      <Views />
      <button type="button" className="chooser-open" aria-keyshortcuts="Control+K Meta+K" onClick={onPalette}>
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          <path d="M11 11l4 4M12.5 7a5.5 5.5 0 1 1-11 0a5.5 5.5 0 0 1 11 0" fill="none" stroke="currentColor" strokeWidth="1.6" />
        </svg>
        <span>Search or do…</span> <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <Hearing />
      <Person onHelp={onHelp} />
    </header>
  );
}

/** The views, each with how many wait there. */
function Views() {
  const { path } = usePlace();
  const badges: Readonly<Record<string, string | undefined>> = { '/onboarding': useWaitingBadge() };
  return (
    <nav aria-label="Main">
      {useOpened().map((view) => (
        <Link key={view.path} to={view.path} {...(isAt(view.path, path) && { 'aria-current': 'page' as const })}>
          {view.title}
          {badges[view.path] !== undefined && (
            <span className="badge">
              {badges[view.path]}
              <span className="unseen"> wait</span>
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}

const isMac = navigator.userAgent.includes('Mac');

const isAt = (view: string, path: string): boolean => (view === '/' ? path === '/' : path === view || path.startsWith(`${view}/`));

const says = {
  connecting: 'connecting',
  live: 'live',
  polling: 'live, every 3 s',
  broken: 'cut off, trying again',
  'signed-out': 'signed out',
} as const;

/** Whether what the page shows is what is. */
function Hearing() {
  const { hearing, perSecond, total } = useSyncExternalStore(live.subscribe, live.state);
  const rate = perSecond >= 0.1 ? `${perSecond.toFixed(perSecond < 10 ? 1 : 0)} events/s` : says[hearing];
  return (
    <span className={`hearing is-${hearing}`} title={`${total} events on this page`}>
      <i aria-hidden="true" />
      <span aria-hidden="true">{hearing === 'live' || hearing === 'polling' ? rate : says[hearing]}</span>
      {/* A rate that changes every second is nothing to be read out; whether the page hears at all is. */}
      <span className="unseen" role="status">
        {says[hearing]}
      </span>
    </span>
  );
}

/** Who has signed in; its menu opens as the browser opens a popover. */
function Person({ onHelp }: { readonly onHelp: () => void }) {
  const who = useQuery(asks.whoAmI).data;
  return (
    <div className="person">
      <button type="button" popoverTarget="person-menu">
        {who?.name || who?.who}
      </button>
      <div id="person-menu" popover="auto">
        <p className="soft">{Object.keys(who?.rights ?? {}).join(', ')}</p>
        <label>
          Colours{' '}
          <select defaultValue={theme()} onChange={(event) => applyTheme(event.target.value as Theme)}>
            <option value="system">as the system</option>
            <option value="dark">dark</option>
            <option value="light">light</option>
          </select>
        </label>
        <button type="button" onClick={onHelp} popoverTarget="person-menu" popoverTargetAction="hide">
          Keys <kbd>?</kbd>
        </button>
        <OrderButton does={signOut} done={() => undefined}>
          Sign out
        </OrderButton>
      </div>
    </div>
  );
}
