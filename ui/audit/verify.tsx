import { useEffect, useRef, useState } from 'react';
import { call } from '../api/call.ts';
import { count, number, Refused } from '../kit/kit.tsx';
import { useOnce } from '../kit/order.tsx';

/** How far a verification has come. */
type Verified = {
  readonly entries: number;
  readonly days: number;
  readonly faults: readonly string[];
  readonly since: string;
  readonly isWhole: boolean;
};

/** Verifies the whole audit, part by part, and gives how far it is after each. Throws what the calls throw. */
async function* verified(signal: AbortSignal): AsyncGenerator<Verified> {
  let so: Verified = { entries: 0, days: 0, faults: [], since: '', isWhole: false };
  for (let cursor: string | undefined; !so.isWhole; ) {
    const part = await call('verifyAudit', { query: { cursor }, signal });
    const faults = part.faults.map(({ zone, day, n, what }) => `${zone} ${day} ${n}: ${what}`);
    so = {
      entries: so.entries + part.entries,
      days: so.days + part.days,
      faults: [...so.faults, ...faults],
      since: part.keptSince,
      isWhole: part.next === undefined,
    };
    yield so;
    cursor = part.next;
  }
}

/** Has the whole audit verified, part by part. */
export function Verify() {
  const [state, setState] = useState<Verified>();
  const [error, setError] = useState<unknown>();
  const { isBusy, once } = useOnce();
  // It ends with the view: of a long audit there are many parts.
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const verify = async (): Promise<void> => {
    setError(undefined);
    stop.current = new AbortController();
    const { signal } = stop.current;
    try {
      for await (const so of verified(signal)) setState(so);
    } catch (refused) {
      if (!signal.aborted) setError(refused);
    }
  };
  return (
    <div className="actions">
      <button type="button" onClick={() => void once(verify)} aria-disabled={isBusy}>
        Verify all of it
      </button>
      <Refused error={error} />
      {state && <Verdict of={state} />}
    </div>
  );
}

const Verdict = ({ of: { entries, days, faults, since, isWhole } }: { readonly of: Verified }) => (
  <p className={faults.length > 0 ? 'note bad' : 'note good'} role="status">
    {!isWhole && 'Verifying: '}
    {number(entries)} entries in {count(days, 'chain')} since {since}
    {faults.length === 0
      ? isWhole
        ? ': whole, nothing was changed or taken out.'
        : ' so far'
      : `: ${count(faults.length, 'fault')}. ${faults.slice(0, 5).join('; ')}`}
  </p>
);
