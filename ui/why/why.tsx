import { useQuery } from '@tanstack/react-query';
import type { Reply } from '../api/call.ts';
import { Ago, Because, Refused, Waiting } from '../kit/kit.tsx';
import { spanText, useNow } from '../kit/time.ts';
import { isBad } from '../live/event.ts';
import { asks, type Subject } from '../live/queries.ts';

type WhyProps = { readonly kind: Subject; readonly id: string; readonly zone?: string };

/** Why a thing is as it is, what of its zone bears on that, and how it came to that, the newest first. */
export function Why({ kind, id, zone }: WhyProps) {
  const why = useQuery(asks.explain(kind, id, zone));
  const past = useQuery(asks.history(kind, id, zone));
  return (
    <>
      <h3>Why</h3>
      {why.data ? <Reason of={why.data} /> : why.error ? <Refused error={why.error} /> : <Waiting />}
      <h3>How it came to that</h3>
      {past.data && <Past items={past.data} />}
      <Refused error={past.error} />
    </>
  );
}

function Reason({ of }: { readonly of: Reply<'explain'> }) {
  const now = useNow();
  const { because, since, who, looksAgainAt, also } = of;
  return (
    <>
      <p className="because">
        <Because of={because} />
      </p>
      <p className="soft">
        since <Ago at={since} /> {who !== undefined && <>· {who}</>}
        {looksAgainAt !== undefined && <> · looked at again in {spanText(Date.parse(looksAgainAt) - now)}</>}
      </p>
      {also.length > 0 && (
        <ul className="also">
          {also.map((one) => (
            <li key={one.subject + one.because}>
              <b>{one.subject}</b> <Because of={one.because} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const Past = ({ items }: { readonly items: Reply<'history'>['items'] }) => (
  <ol className="timeline">
    {items.map(({ seq, type, at, because, who }) => (
      <li key={seq} className={isBad({ type }) ? 'bad' : ''}>
        <Ago at={at} />
        <b>{type}</b>
        <p>
          {because !== undefined && <Because of={because} />}
          {who !== undefined && <> · {who}</>}
        </p>
      </li>
    ))}
  </ol>
);
