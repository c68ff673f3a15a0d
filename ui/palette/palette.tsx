import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { call, type Reply } from '../api/call.ts';
import { type Choice, Chooser } from '../kit/combobox.tsx';
import { sayWhy } from '../kit/toasts.tsx';
import { asks } from '../live/queries.ts';
import { go } from '../router.tsx';
import { recentPlaces } from '../shell/recent.ts';
import { applyTheme } from '../shell/theme.ts';
import { useOpened } from '../shell/use-opened.ts';
import { signOut } from '../sign-in/session.ts';
import { chosen, type Entry, type Goal } from './choose.ts';
import { entriesOf } from './entries.ts';
import { LinkDialog } from './link-dialog.tsx';

/** A person who types is asked for after this pause. */
const pauseMs = 150;
/** The nodes of so many zones are found by name; more zones than that have too many nodes for a list. */
const zonesMax = 20;
/** So many client systems are shown. */
const systemsMax = 8;

/** `start`: what was typed before the palette was here. */
type PaletteProps = { readonly start: string; readonly onClose: () => void };

/** Goes to any place, finds anything by its name, and does what can be done from anywhere. */
export default function Palette({ start, onClose }: PaletteProps) {
  const [typed, type] = useState(start);
  const [link, setLink] = useState<Promise<Reply<'createSignInLink'>>>();
  const word = useDeferredValue(typed.trim());
  const entries = useEntries(word);
  const found = useMemo(() => chosen(entries, word), [entries, word]);
  if (link !== undefined) return <LinkDialog link={link} onClose={onClose} />;
  const search = searchFor(typed.trim());
  const pick = (id: string): void => {
    const entry = id === search.id ? search : entries.find((one) => one.id === id);
    if (entry?.does === 'link') setLink(call('createSignInLink'));
    else onClose();
    if (entry !== undefined) void does(entry.does);
  };
  return (
    <Chooser
      label="Search or do"
      placeholder="A view, a zone, a node, a client system, something to do…"
      typed={typed}
      onType={type}
      onPick={pick}
      onClose={onClose}
      groups={[
        ...found.map(({ title, entries: some }) => ({ title, choices: some.map(choiceOf) })),
        { title: 'Search', choices: typed.trim() === '' ? [] : [searchChoice(search)] },
      ]}
      none="Nothing has that name."
      footer={<Keys />}
    />
  );
}

/** What was typed, as a query of client systems. */
const searchFor = (q: string): Entry => ({ id: 'search', group: 'Client systems', label: q, does: { path: '/systems', search: { q } } });

const searchChoice = ({ id, label }: Entry): Choice => ({
  id,
  label: (
    <>
      Client systems that match <code>{label}</code>
    </>
  ),
  hint: 'as a query',
});

const choiceOf = ({ id, label, hint }: Entry): Choice => ({ id, label, ...(hint !== undefined && { hint }) });

/** All that there is to choose from; client systems by what was typed, from the server. */
function useEntries(word: string): readonly Entry[] {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const zones = useQuery(asks.zones).data;
  const nodes = useQueries({
    queries: (zones ?? []).slice(0, zonesMax).map(({ name }) => asks.nodes(name)),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  });
  const systems = useSystems(word);
  const opened = useOpened();
  return useMemo(
    () => entriesOf({ views: opened, zones: zones ?? [], nodes, systems, recent: recentPlaces(), rights }),
    [opened, zones, nodes, systems, rights],
  );
}

/** The first few client systems whose names have what was typed in them. */
function useSystems(word: string) {
  const [asked, ask] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => ask(word), pauseMs);
    return () => clearTimeout(timer);
  }, [word]);
  const isName = /^[\w.-]{2,}$/.test(asked);
  const { data } = useQuery({
    queryKey: ['found', 'palette', asked],
    queryFn: async ({ signal }) => (await call('findSystems', { query: { q: `name:*${asked}*`, limit: systemsMax }, signal })).items,
    enabled: isName,
    placeholderData: keepPreviousData,
  });
  return isName && data !== undefined ? data : none;
}

const none: Reply<'findSystems'>['items'] = [];

const goTo = ({ path, search }: Goal): void => go(path, search);

async function does(what: Entry['does']): Promise<void> {
  if (typeof what === 'object') return goTo(what);
  if (what === 'dark' || what === 'light' || what === 'system') return applyTheme(what);
  if (what === 'sign-out') await signOut().catch(sayWhy);
}

const Keys = () => (
  <p className="chooser-keys" aria-hidden="true">
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> choose
    </span>
    <span>
      <kbd>Enter</kbd> go or do
    </span>
    <span>
      <kbd>Esc</kbd> close
    </span>
  </p>
);
