import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Problem } from '../api/call.ts';
import { Refused } from '../kit/kit.tsx';
import { complaintOf, excerptOf } from './complaint.ts';

type QueryLineProps = {
  readonly q: string;
  readonly error: unknown;
  readonly onQuery: (q: string) => void;
  readonly onDown: () => void;
};

/** How long a person pauses before what was typed is asked. */
const pauseMs = 250;

/** The line in which one says what to list. It asks as one types; Enter and the arrow down go to the list. */
export function QueryLine({ q, error, onQuery, onDown }: QueryLineProps) {
  const { typed, type, ask } = useTyped(q, onQuery);
  const press = (event: KeyboardEvent): void => {
    if (!['Enter', 'ArrowDown', 'Escape'].includes(event.key)) return;
    event.preventDefault();
    ask(typed);
    onDown();
  };
  return (
    <div className="query">
      <input
        id="query"
        type="search"
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
        aria-label="Search client systems"
        aria-invalid={error instanceof Problem && error.type === 'bad-query'}
        aria-describedby="query-says"
        placeholder="web*.acme.org   tag:db and status:orphan   silent:>7d   ram:>=16GiB"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
      />
      <kbd>/</kbd>
      <div id="query-says">{error !== undefined && error !== null && <Wrong error={error} q={q} onQuery={onQuery} />}</div>
    </div>
  );
}

/** What is typed, and asking for it: once it rests, or at once. */
function useTyped(q: string, onQuery: (q: string) => void) {
  const [typed, type] = useState(q);
  const asked = useRef(q);
  useEffect(() => {
    // The query came from elsewhere: a chip, a link, or the way back.
    if (q !== asked.current) type(q);
    asked.current = q;
  }, [q]);
  const ask = (text: string): void => {
    asked.current = text.trim();
    if (text.trim() !== q) onQuery(text.trim());
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed is asked once, when it rests
  useEffect(() => {
    const timer = setTimeout(() => ask(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return { typed, type, ask };
}

/** What is wrong with the query, under the place where it is, and what may have been meant. */
function Wrong({ error, q, onQuery }: Pick<QueryLineProps, 'error' | 'q' | 'onQuery'>) {
  if (!(error instanceof Problem) || error.type !== 'bad-query') return <Refused error={error} />;
  const { didYouMean } = error.fields;
  const { column, problem, advice, meant } = complaintOf(error.message, typeof didYouMean === 'string' ? didYouMean : undefined);
  const excerpt = column === undefined ? undefined : excerptOf(q, column);
  return (
    <div className="note bad" role="alert">
      {excerpt && (
        <pre aria-hidden="true">
          {excerpt.line}
          {'\n'}
          {' '.repeat(excerpt.indent)}
          <b>^</b>
        </pre>
      )}
      <p>
        {column !== undefined && <>Column {column}: </>}
        {problem}
        {advice !== undefined && <>; {advice}</>}
        {meant !== undefined && (
          <>
            . Did you mean{' '}
            <button type="button" className="chip" onClick={() => onQuery(meant.query)}>
              <code>{meant.shown}</code>
            </button>
            ?
          </>
        )}
      </p>
    </div>
  );
}
