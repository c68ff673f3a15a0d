import type { ReactNode } from 'react';
import type { Reply } from '../../api/call.ts';
import { number, Status } from '../../kit/kit.tsx';
import { Table } from '../../kit/table.tsx';
import { spanText, useNow } from '../../kit/time.ts';

export type OnboardingToken = Reply<'listOnboardingTokens'>['items'][number];
export type NodeToken = Reply<'listNodeTokens'>['items'][number];

/** What revokes a token, or undefined where the caller may not. */
type OnRevoke = (zone: string, token: { readonly id: string; readonly what: string }) => (() => void) | undefined;
type Row = {
  readonly id: string;
  readonly status: OnboardingToken['status'];
  readonly what: ReactNode;
  readonly zone: string;
  readonly cidr: string | undefined;
  readonly used: number;
  readonly uses: number;
  readonly endsAt: string;
  readonly onRevoke: (() => void) | undefined;
};

/** Those that still let something in come first, the newest first. */
const inOrder = <T extends { readonly status: string; readonly createdAt: string }>(tokens: readonly T[]): T[] =>
  tokens.toSorted((a, b) => Number(b.status === 'valid') - Number(a.status === 'valid') || (a.createdAt < b.createdAt ? 1 : -1));

/** Onboarding tokens: what machines get by them, how often they were used, and until when they hold. */
export const OnboardingTokenTable = ({
  tokens,
  onRevoke,
}: {
  readonly tokens: readonly OnboardingToken[];
  readonly onRevoke: OnRevoke;
}) => (
  <TokenTable
    what="Gives"
    rows={inOrder(tokens).map(({ id, status, zone, tags, groups, cidr, uses, used, expiresAt, revokedAt }) => ({
      ...{ id, status, zone, cidr, uses, used },
      what: [...tags, ...groups.map((group) => `group ${group}`)].map((label) => (
        <span key={label} className="tag">
          {label}
        </span>
      )),
      endsAt: revokedAt ?? expiresAt,
      onRevoke: onRevoke(zone, { id, what: 'Machines that bring it wait in the pool from now on; those that it let in stay.' }),
    }))}
  />
);

/** Node tokens: which hosts they let in, how often they were used, and until when they hold. */
export const NodeTokenTable = ({ tokens, onRevoke }: { readonly tokens: readonly NodeToken[]; readonly onRevoke: OnRevoke }) => (
  <TokenTable
    what="Lets in"
    rows={inOrder(tokens).map(({ id, status, nodes, kind, zone, cidr, uses, admitted, expiresAt, revokedAt, anyWatch }) => ({
      ...{ id, status, zone, cidr, uses },
      used: admitted.length,
      what: (
        <>
          <code>{nodes}</code> {kind}
          {anyWatch && <span className="soft"> · watched anywhere</span>}
          {admitted.length > 0 && (
            <details className="token-hosts">
              <summary>its hosts</summary>
              {admitted.map(({ node, fingerprint }) => (
                <code key={node} className="soft">
                  {node} {fingerprint.slice(0, 23)}
                </code>
              ))}
            </details>
          )}
        </>
      ),
      endsAt: revokedAt ?? expiresAt,
      onRevoke: onRevoke(zone, { id, what: 'Hosts that bring it wait in the pool from now on; the nodes that it let in stay.' }),
    }))}
  />
);

const shapes = { valid: 'ok', used: 'unknown', expired: 'offline', revoked: 'banned' } as const;

const TokenTable = ({ what, rows }: { readonly what: string; readonly rows: readonly Row[] }) => (
  <Table
    of={rows}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Token', cell: ({ id }) => <code>{id}</code> },
      { title: 'Status', cell: ({ status }) => <Status is={shapes[status]}>{status}</Status> },
      { title: what, cell: (row) => row.what },
      { title: 'Zone', cell: ({ zone }) => zone },
      { title: 'From', cell: ({ cidr }) => cidr ?? 'anywhere' },
      { title: 'Used', is: 'number', cell: ({ used, uses }) => `${number(used)} of ${number(uses)}` },
      { title: 'Ends', cell: ({ endsAt }) => <Ends at={endsAt} /> },
      { title: 'Orders', isUnseen: true, cell: (row) => <Revoke of={row} /> },
    ]}
  />
);

const Revoke = ({ of: { status, onRevoke } }: { readonly of: Row }) =>
  status === 'valid' &&
  onRevoke && (
    <button type="button" onClick={onRevoke}>
      Revoke…
    </button>
  );

function Ends({ at }: { readonly at: string }) {
  const leftMs = Date.parse(at) - useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString('en-GB')}>
      {leftMs > 1_000 ? `in ${spanText(leftMs)}` : `${spanText(Math.max(0, -leftMs))} ago`}
    </time>
  );
}
