import { memo } from 'react';
import { Ago, Status, short } from '../kit/kit.tsx';
import type { System } from './asks.ts';

/** What can be done with a row. The functions stay the same, so that a row is drawn again only when it differs. */
export type RowActions = { readonly open: (system: System) => void; readonly toggle: (system: System) => void };

type RowProps = {
  readonly system: System | undefined;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  readonly actions: RowActions;
};

/** The id of the row of a list. */
export const rowId = (index: number): string => `system-${index}`;

/** A client system in the list; a shadow of one while its page is read. */
export const Row = memo(function Row({ system, index, top, height, isCurrent, isChosen, actions }: RowProps) {
  const style = { transform: `translateY(${top}px)`, height };
  if (system === undefined)
    return (
      <tr aria-rowindex={index + 2} className="system is-awaited" style={style}>
        <td className="pick" />
        <td className="name">
          <i>Loading</i>
        </td>
      </tr>
    );
  return (
    <tr
      id={rowId(index)}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      className={`system${isCurrent ? ' is-current' : ''}`}
      style={style}
      onClick={() => actions.open(system)}
    >
      <td className="pick">
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isChosen}
          aria-label={`Select ${system.fqdn}`}
          onClick={(event) => event.stopPropagation()}
          onChange={() => actions.toggle(system)}
        />
      </td>
      <Cells of={system} />
    </tr>
  );
});

const none = <span className="soft">–</span>;

/** That it is pinned, or that it is away from the node that it is pinned to. */
function Pinned({ of: { pin, node } }: { readonly of: System }) {
  if (pin === undefined) return null;
  const to = pin.fqdn ?? 'a node that is gone';
  const isAway = node !== undefined && node.fqdn !== pin.fqdn;
  return (
    <span className="tag" title={isAway ? `Pinned to ${to}, and away from it` : `Pinned to ${to}`}>
      {isAway ? 'away' : 'pinned'}
    </span>
  );
}

const Cells = ({ of }: { readonly of: System }) => (
  <>
    <td className="name" title={of.fqdn}>
      <b>{short(of.fqdn)}</b>
      <span className="soft">{of.fqdn.slice(short(of.fqdn).length)}</span>
    </td>
    <td className="state">
      <Status is={of.status} />
      {of.silentSince !== undefined && (
        <span className="tag" title={`Its node has not seen it, and it has not called, since ${of.silentSince}`}>
          <Status is="silent">
            silent <Ago at={of.silentSince} />
          </Status>
        </span>
      )}
      {of.sameMachineId !== undefined && <span className="tag">clone</span>}
      {of.copied !== undefined && (
        <span className="tag" title={of.copied.because}>
          <Status is="silent">copied</Status>
        </span>
      )}
      {of.sameName !== undefined && <span className="tag">{of.sameName.noName ? 'no name' : 'name comes twice'}</span>}
    </td>
    <td className="node">
      {of.node ? short(of.node.fqdn ?? of.node.id) : none} <Pinned of={of} />
    </td>
    <td className="zone">{of.zone ?? none}</td>
    <td className="labels">
      {of.tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
        </span>
      ))}
      {of.groups.map((group) => (
        <span key={group} className="tag is-group">
          @{group}
        </span>
      ))}
    </td>
    <td className="seen">
      <Ago at={of.seenAt} />
    </td>
  </>
);
