import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { Problem } from '../api/call.ts';
import { useKeys } from '../kit/keys.ts';
import { Dialog, Empty, Waiting } from '../kit/kit.tsx';
import { ToastList } from '../kit/toasts.tsx';
import { live } from '../live/live.ts';
import { asks, client, Staleness } from '../live/queries.ts';
import { CarriedList } from '../orders/carried-list.tsx';
import { go, hrefOf, type Place, paramsOf, usePlace } from '../router.tsx';
import { keepRenewed } from '../sign-in/session.ts';
import { SignIn } from '../sign-in/sign-in.tsx';
import { views } from '../views.ts';
import { Boundary } from './boundary.tsx';
import { EarlyQuery, focusBox } from './early-query.tsx';
import { remember } from './recent.ts';
import { TopBar } from './top-bar.tsx';
import { useOpened } from './use-opened.ts';

const Help = lazy(() => import('./help.tsx'));
const Palette = lazy(() => import('../palette/palette.tsx'));

/** The page: who has signed in sees the view of the address within its frame; anybody else is asked to sign in. */
export function Page() {
  const { path } = usePlace();
  // Its one word alone: what else it knows changes with every event, and the page is drawn again for none of that.
  const hearing = useSyncExternalStore(live.subscribe, () => live.state().hearing);
  const { data, error } = useQuery(asks.whoAmI);
  const isOut = error instanceof Problem && error.status === 401;
  const isIn = data !== undefined && !isOut;
  useEffect(() => {
    // The stream was refused: whether that holds for every call is for the next one to say.
    if (hearing === 'signed-out') void client.resetQueries({ queryKey: asks.whoAmI.queryKey });
  }, [hearing]);
  useEffect(() => {
    if (!isIn) return;
    live.start();
    const forget = live.onEvents(new Staleness().take);
    const stop = new AbortController();
    keepRenewed(stop.signal);
    return () => {
      stop.abort();
      forget();
      live.stop();
    };
  }, [isIn]);
  if (path === '/sign-in' || isOut) return <SignIn />;
  // An answer that this page has is good until another one comes: what a person has begun in a view stays there.
  if (error && !data) return <Unreachable error={error} />;
  if (!isIn) return <Waiting />;
  return <Frame />;
}

/** What stands over the view. */
type Over = 'help' | 'palette' | undefined;

/** The frame of every view: the bar on top, the keys that work everywhere, and the view. */
function Frame() {
  const { path, search } = usePlace();
  const [over, setOver] = useState<Over>();
  const [isEarly, setEarly] = useState(false);
  const close = (): void => setOver(undefined);
  const found = useMemo(
    () => views.map((view) => ({ view, params: paramsOf(view.path, path) })).find(({ params }) => params !== undefined),
    [path],
  );
  useFrameKeys(setOver, () => setEarly(true));
  useArrival(path, search, found?.view.title);
  const View = found?.view.component;
  return (
    <>
      <a className="skip" href="#main">
        To the content
      </a>
      <TopBar onHelp={() => setOver('help')} onPalette={() => setOver('palette')} />
      <CarriedList />
      {isEarly && path === searched && <EarlyQuery onDone={() => setEarly(false)} />}
      <main id="main" tabIndex={-1}>
        <Boundary key={path}>
          <Suspense fallback={<Waiting />}>
            {View ? <View params={found!.params!} search={search} /> : <Empty>There is nothing at this address.</Empty>}
          </Suspense>
        </Boundary>
      </main>
      <ToastList />
      <Suspense>{over === 'help' && <Help onClose={close} />}</Suspense>
      {over === 'palette' && <OpenPalette onClose={close} />}
    </>
  );
}

/** The view that the key `/` searches from one without a box of its own. */
const searched = '/systems';

/** The keys that work everywhere. `/` leads to the box of the view, or to client systems, where `onEarly` takes over. */
function useFrameKeys(show: (over: Over) => void, onEarly: () => void): void {
  const opened = useOpened();
  useKeys({
    '?': () => show('help'),
    'mod+k': () => show('palette'),
    '/': () => {
      if (focusBox()) return;
      go(searched);
      onEarly();
    },
    ...Object.fromEntries(opened.flatMap(({ key, path }) => (key === '' ? [] : [[key, () => go(path)]]))),
  });
}

/** What happens as a person comes to a place: the window is named after it, it is remembered, and keys begin there. */
function useArrival(path: string, search: Place['search'], title: string | undefined): void {
  const href = hrefOf(path, search);
  useEffect(() => {
    document.title = title === undefined ? 'Muster' : `${title} · Muster`;
  }, [title]);
  // What had the focus may have gone with the view of before; keys then begin in the one that is there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each view is another one
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
  }, [path]);
  const isPlace = title !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address has all of the place
  useEffect(() => {
    if (isPlace) remember({ path, search });
  }, [isPlace, href]);
}

/** The palette; while it is loaded, its line takes what a person types already. */
function OpenPalette({ onClose }: { readonly onClose: () => void }) {
  const [early, setEarly] = useState('');
  const line = (
    <Dialog label="Search or do" onClose={onClose}>
      <input value={early} onChange={(event) => setEarly(event.target.value)} aria-label="Search or do" />
    </Dialog>
  );
  return (
    <Suspense fallback={line}>
      <Palette start={early} onClose={onClose} />
    </Suspense>
  );
}

const Unreachable = ({ error }: { readonly error: Error }) => (
  <main className="door">
    <h1>{error instanceof Problem && error.status === 0 ? 'Muster does not answer' : 'Muster refused this page'}</h1>
    <p>{error.message}. This page tries again by itself.</p>
  </main>
);
