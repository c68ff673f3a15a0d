import { useQuery } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Confirm } from '../kit/confirm.tsx';
import { Dialog, short } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import type { Outcome } from '../preview/preview.ts';
import { type Read, usePreview } from '../preview/use-preview.ts';
import { WouldBe } from '../preview/would-be.tsx';

type Node = Reply<'getNode'>;
type Asked = { readonly node: Node; readonly onClose: () => void };
export type What = 'drain' | 'drop' | 'lose';

/** What would become of everybody if a node left: the planner's own answer, and then the order itself. */
export function WhatIf({ what, node, onClose }: Asked & { readonly what: What }) {
  const { id, fqdn, zone } = node;
  const read = usePreview(zone, { [what]: what === 'lose' ? fqdn : id });
  const rights = useQuery(asks.whoAmI).data?.rights;
  if (what === 'drain' && may(rights, 'leaveNode', zone)) return <Drain {...{ node, read, onClose }} />;
  if (what === 'drop' && may(rights, 'dropNode', zone)) return <Drop {...{ node, read, onClose }} />;
  return (
    <Dialog label={titleOf(what, node)} onClose={onClose} isWide>
      <h2>{titleOf(what, node)}</h2>
      <WouldBe of={read} about={[id]} />
      <div className="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

const titles = { drain: 'were drained', drop: 'were dropped', lose: 'were lost' } as const;
const titleOf = (what: What, { fqdn }: Node): string => `If ${short(fqdn)} ${titles[what]}`;

type OrderProps = Asked & { readonly read: Read };

/** What an order about a node has come to, in the server's words. */
const said =
  ({ fqdn }: Node) =>
  ({ because }: { readonly because: string }): string =>
    `${fqdn}: ${because}`;

function Drain({ node, read, onClose }: OrderProps) {
  const { id } = node;
  return (
    <Confirm
      title={titleOf('drain', node)}
      action="Drain it"
      leave="Leave it as it is"
      isWide
      isIncomplete={!read.isCurrent}
      does={() => read.order(() => call('leaveNode', { params: { id }, body: { mode: 'drain' } }))}
      done={said(node)}
      onClose={onClose}
    >
      <WouldBe of={read} about={[id]} />
    </Confirm>
  );
}

type HoldingRule = 6 | 7 | 8 | 16;
const rulesOf = (outcome: Outcome | undefined): HoldingRule[] =>
  (outcome?.guards ?? []).map(({ rule }) => rule).filter((rule): rule is HoldingRule => [6, 7, 8, 16].includes(rule ?? 0));

/** A drop overrules the rules that were read to hold it, and no others. */
function Drop({ node, read, onClose }: OrderProps) {
  const { id } = node;
  const overrule = rulesOf(read.outcome);
  return (
    <Confirm
      title={titleOf('drop', node)}
      action={overrule.length === 0 ? 'Drop it' : `Drop it, and overrule ${overrule.map((rule) => `rule ${rule}`).join(' and ')}`}
      leave="Leave it as it is"
      isDanger
      isWide
      isIncomplete={!read.isCurrent}
      does={() => read.order(() => call('dropNode', { params: { id }, body: { overrule } }))}
      done={said(node)}
      onClose={onClose}
    >
      <WouldBe of={read} about={[id]} />
    </Confirm>
  );
}
