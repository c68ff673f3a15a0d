import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Ago, number, Refused, Waiting } from '../kit/kit.tsx';
import { getMetadata, listMetadata } from './asks.ts';

/** The documents that are kept about a client system; each opens where it stands. */
export function MetadataKinds({ fp }: { readonly fp: string }) {
  const { data, error } = useQuery(listMetadata(fp));
  return (
    <>
      <h3>Metadata</h3>
      <Refused error={error} />
      {data?.items.length === 0 && <p className="soft">Nothing is kept about it.</p>}
      {data?.items.map(({ kind, revision, bytes, at, appended }) => (
        <Kind key={kind} fp={fp} kind={kind}>
          <b>{kind}</b> <span className="soft">{appended ? 'history' : `revision ${revision}`}</span> {number(bytes)} bytes{' '}
          <Ago at={at} suffix=" ago" />
        </Kind>
      ))}
    </>
  );
}

function Kind({ fp, kind, children }: { readonly fp: string; readonly kind: string; readonly children: React.ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="metadata" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{children}</summary>
      {isOpen && <Document fp={fp} kind={kind} />}
    </details>
  );
}

function Document({ fp, kind }: { readonly fp: string; readonly kind: string }) {
  const { data, error } = useQuery(getMetadata(fp, kind));
  if (data === undefined) return error ? <Refused error={error} /> : <Waiting />;
  return <pre>{JSON.stringify(data.document, undefined, 2)}</pre>;
}
