import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, useMemo, useState } from 'react';
import { may, mayAnywhere, type Rights } from '../../api/rights.ts';
import { useKeys } from '../../kit/keys.ts';
import { Waiting as Loading, Refused } from '../../kit/kit.tsx';
import { asks } from '../../live/queries.ts';
import { poolAsks, type WaitingList } from '../asks.ts';
import { useFreshPool } from '../fresh.ts';
import { FormPlace, pressSubmit } from '../picking/form-place.tsx';
import { useNarrow } from '../picking/use-narrow.ts';
import { usePicking } from '../picking/use-picking.ts';
import { AcceptForm } from './accept-form.tsx';
import { useAcceptance } from './accepting.ts';
import { Arrivals } from './arrivals.tsx';
import { BanDialog } from './ban-dialog.tsx';
import { CloneDialog } from './clone-dialog.tsx';
import { filtered, oddityIn } from './filter.ts';
import { type By, groupsOf, isHeld, type Waiting as System } from './groups.ts';
import { NobodyWaits, PoolHead } from './pool-head.tsx';
import { TagButtons } from './tag-fields.tsx';
import { useLabels } from './use-labels.ts';

/** What draws long lists weighs as much as the rest of the view, and comes after it. */
const SystemList = lazy(() => import('./system-list.tsx'));

type Search = Readonly<Record<string, string>>;

/** The client systems that wait to be accepted. */
export function SystemsTab({ search }: { readonly search: Search }) {
  useFreshPool('systems', 1_000);
  const { data, error, isFetching } = useQuery(poolAsks.systems);
  const rights = useQuery(asks.whoAmI).data?.rights;
  const { followed } = useAcceptance();
  const list = useMemo(() => data && { ...data, items: data.items.filter(({ fp }) => !followed.has(fp)) }, [data, followed]);
  return (
    <>
      <Arrivals />
      <Refused error={error} />
      {list === undefined && !error && <Loading />}
      {list && <Pool list={list} rights={rights} search={search} isReading={isFetching} />}
    </>
  );
}

type PoolProps = { readonly list: WaitingList; readonly rights: Rights | undefined; readonly search: Search; readonly isReading: boolean };
/** What stands over the list: the form where there is no room beside, a ban, or a machine that is held. */
type Over = { readonly is: 'form' | 'ban' } | { readonly is: 'clone'; readonly system: System } | undefined;

function Pool({ list, rights, search, isReading }: PoolProps) {
  const pool = usePool(list.items, rights, search);
  const { picking, labels, mayAccept, mayBan, isNarrow, over, setOver, meant } = pool;
  const close = (): void => setOver(undefined);
  if (list.items.length === 0 && !isReading) return <NobodyWaits rights={rights} />;
  return (
    <div className="split">
      <Waiters of={pool} list={list} search={search} isReading={isReading} />
      {(mayAccept || mayBan) && (
        <FormPlace
          verb="Accept"
          isNarrow={isNarrow}
          n={picking.items.length}
          isOpen={over?.is === 'form'}
          onOpen={() => setOver({ is: 'form' })}
          onClose={close}
        >
          <AcceptForm picking={picking} labels={labels} rights={rights} onBan={() => setOver({ is: 'ban' })} onDone={close} />
        </FormPlace>
      )}
      {over?.is === 'ban' && <BanDialog systems={meant} onClose={close} onBanned={picking.clear} />}
      {over?.is === 'clone' && <CloneDialog system={over.system} rights={rights} labels={labels} onClose={close} />}
    </div>
  );
}

/** The groups of those that wait as the address asks for them, what is picked of them, and what the keys do with that. */
function usePool(items: WaitingList['items'], rights: Rights | undefined, search: Search) {
  const [by, only, text] = [byIn(search['by']), oddityIn(search['only']), useDeferredValue(search['q'] ?? '')];
  const groups = useMemo(() => groupsOf(filtered(items, text, only), by), [items, text, only, by]);
  const [mayAccept, mayBan] = [mayAnywhere(rights, 'accept'), mayAnywhere(rights, 'ban')];
  const canPick = (system: System): boolean => !isHeld(system) && (may(rights, 'accept', system.zone) || may(rights, 'ban', system.zone));
  const picking = usePicking({ all: items, groups, canPick });
  const isNarrow = useNarrow();
  const [over, setOver] = useState<Over>();
  /** What a key means: what is picked, or what the keys are at. */
  const meant = picking.items.length > 0 || !picking.current ? picking.items : [picking.current];
  const accept = (): void => {
    const { current } = picking;
    const isNone = picking.items.length === 0;
    if (isNone && current && canPick(current)) picking.toggle([current.fp]);
    if (isNone && current && isHeld(current)) setOver({ is: 'clone', system: current });
    else if (isNarrow) setOver({ is: 'form' });
    else pressSubmit();
  };
  useKeys({ ...(mayAccept && { a: accept }), ...(mayBan && { b: () => meant.length > 0 && setOver({ is: 'ban' }) }) });
  return { by, only, groups, picking, labels: useLabels(), mayAccept, mayBan, isNarrow, over, setOver, meant };
}

type WaitersProps = Omit<PoolProps, 'rights'> & { readonly of: ReturnType<typeof usePool> };

/** Those that wait, and what narrows them down. */
function Waiters({ of: { by, only, groups, picking, labels, mayAccept, mayBan, setOver }, ...props }: WaitersProps) {
  const { refused } = useAcceptance();
  return (
    <section aria-label="Client systems that wait">
      <PoolHead {...props} shown={groups.reduce((n, group) => n + group.items.length, 0)} by={by} only={only} />
      {!mayAccept && <p className="note">You may look at the machines that wait. Accepting them needs the right operate.</p>}
      <Suspense fallback={<Loading />}>
        <SystemList
          {...{ groups, by, picking, refused }}
          tagsOf={({ suggestions }) => mayAccept && <TagButtons suggestions={suggestions} labels={labels} />}
          isPickable={mayAccept || mayBan}
          onHeld={(system) => setOver({ is: 'clone', system })}
        />
      </Suspense>
    </section>
  );
}

const byIn = (text: string | undefined): By => (text === 'zone' || text === 'token' ? text : 'name');
