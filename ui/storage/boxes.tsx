import { type FormEvent, type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import { count } from '../kit/kit.tsx';
import { Box, type Lights } from './box.tsx';
import { stepOf } from './step.ts';
import type { Touched } from './touch.ts';
import { holdersOf, matching, openAtFirst, rowsOf, type Thing } from './tree.ts';

type Props = {
  readonly things: readonly Thing[];
  readonly picked: string | undefined;
  readonly touched: Touched | undefined;
  readonly lost: ReadonlySet<string>;
  readonly onPick: (id: string | undefined) => void;
};

/** All that stands and runs, as boxes in boxes. Arrow keys walk them, Enter picks one. */
export function Boxes({ things, picked, touched, lost, onPick }: Props) {
  const tree = useRef<HTMLDivElement>(null);
  const walk = useWalk(tree, { things, picked, onPick });
  useSight(tree, picked, lost);
  const lights: Lights = { isOpen: walk.isOpen, picked, touched, lost, at: walk.at };
  return (
    <>
      <Find things={things} picked={picked} onPick={onPick} />
      <div
        ref={tree}
        role="tree"
        aria-label="The cluster"
        className={`boxes ${touched === undefined ? '' : 'has-picked'}`}
        onKeyDown={walk.press}
        onClick={walk.click}
      >
        {things.map((thing, n) => (
          <Box key={thing.id} thing={thing} depth={1} nth={n + 1} of={things.length} lights={lights} />
        ))}
      </div>
    </>
  );
}

type Tree = { readonly current: HTMLElement | null };

/** Where one is in the tree, which boxes are open, and what keys and presses do there. */
function useWalk(tree: Tree, { things, picked, onPick }: Pick<Props, 'things' | 'picked' | 'onPick'>) {
  const { isOpen, setOpen } = useOpen(things, picked);
  const [focused, setFocused] = useState(picked);
  useEffect(() => {
    if (picked !== undefined) setFocused(picked);
  }, [picked]);
  const rows = useMemo(() => rowsOf(things, isOpen), [things, isOpen]);
  const at = rows.find(({ thing }) => thing.id === focused)?.thing.id ?? rows[0]?.thing.id;
  const focus = (id: string): void => {
    setFocused(id);
    boxAt(tree.current, id)?.focus();
  };
  const toggle = (id: string | undefined): void => onPick(id === picked ? undefined : id);
  const press = (event: KeyboardEvent): void => {
    const step = at === undefined || event.ctrlKey || event.metaKey || event.altKey ? undefined : stepOf(rows, at, event.key, isOpen);
    if (step === undefined) return;
    event.preventDefault();
    if ('to' in step) focus(step.to);
    else if ('open' in step) setOpen(at!, step.open);
    else toggle(at);
  };
  const click = ({ target }: MouseEvent): void => {
    if (!(target instanceof Element)) return;
    const id = target.closest<HTMLElement>('[data-id]')?.dataset['id'];
    if (id === undefined) return;
    focus(id);
    if (target.closest('.twisty') !== null) setOpen(id, !isOpen(id));
    else toggle(id);
  };
  return { at, isOpen, press, click };
}

/** Brings into sight what is picked, and the first of what would be lost. */
function useSight(tree: Tree, picked: string | undefined, lost: ReadonlySet<string>): void {
  useEffect(() => {
    if (picked !== undefined) boxAt(tree.current, picked)?.scrollIntoView({ block: 'nearest' });
  }, [tree, picked]);
  useEffect(() => {
    if (lost.size > 0) tree.current?.querySelector<HTMLElement>('.is-lost > .head')?.scrollIntoView({ block: 'nearest' });
  }, [tree, lost]);
}

const boxAt = (tree: HTMLElement | null, id: string): HTMLElement | null =>
  tree?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] > .head`) ?? null;

/** Whether somebody opened or closed a box, and what was picked then. */
type Chosen = { readonly open: boolean; readonly picked: string | undefined };

/**
 * Which boxes are open: as many as a person takes in, what somebody opened or closed, and what holds the picked one,
 * unless that was closed since it was picked.
 */
function useOpen(things: readonly Thing[], picked: string | undefined) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Chosen>>(new Map());
  const first = useMemo(() => openAtFirst(things), [things]);
  const around = useMemo(() => aroundOf(things, picked), [things, picked]);
  const setOpen = (id: string, open: boolean): void => setChosen((before) => new Map(before).set(id, { open, picked }));
  const isOpen = useMemo(
    () =>
      (id: string): boolean => {
        const its = chosen.get(id);
        if (its !== undefined && (its.picked === picked || !around.has(id))) return its.open;
        return first.has(id) || around.has(id);
      },
    [chosen, first, around, picked],
  );
  return { isOpen, setOpen };
}

function aroundOf(things: readonly Thing[], id: string | undefined): ReadonlySet<string> {
  const around = new Set<string>();
  if (id === undefined) return around;
  const holders = holdersOf(things);
  for (let holder = holders.get(id); holder !== undefined; holder = holders.get(holder.id)) around.add(holder.id);
  return around;
}

/** Finds a box by a part of its name, endpoint, fid or WWN; Enter goes on to the next one. */
function Find({ things, picked, onPick }: Pick<Props, 'things' | 'picked' | 'onPick'>) {
  const [text, setText] = useState('');
  const found = useMemo(() => matching(things, text), [things, text]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const next = found[(found.indexOf(picked ?? '') + 1) % found.length];
    if (next !== undefined) onPick(next);
  };
  return (
    <form className="find" onSubmit={submit}>
      <input
        type="search"
        aria-label="Find a host, an endpoint, a fid or a WWN"
        placeholder="Find a host, an endpoint, a fid or a WWN"
        value={text}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
      <span className="soft" role="status">
        {text.trim() === '' ? '' : found.length === 0 ? 'nothing' : `${count(found.length, 'box', 'boxes')}: Enter picks the next`}
      </span>
    </form>
  );
}
