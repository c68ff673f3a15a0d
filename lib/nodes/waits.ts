import { type EpochMs, plusMs } from '../core/time.ts';
import { type Node, type NodeIn, releaseWaitMs } from './node.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** What a draining node with this many slots waits for, as text; undefined for a node that does not drain. */
export function waitText(node: Node, slots: number): string | undefined {
  if (node.status !== 'leaving' || node.leaving.mode !== 'drain') return undefined;
  if (slots > 0) return `${slots} slot${slots === 1 ? '' : 's'} must find another node`;
  const { turnsUntil, since, movedAt } = node.leaving;
  const turnWait = turnsUntil === undefined ? [] : [`its client systems wait for their turns elsewhere, the last one ${iso(turnsUntil)}`];
  const order = unreleased(node);
  const deadline = iso(plusMs(movedAt ?? since, releaseWaitMs));
  const agentWait = order === undefined ? [] : [`its agent has not reported that it notified the clients of map version ${order}`];
  if (turnWait.length === 0)
    agentWait.push(`${order === undefined ? 'its slots are gone; ' : ''}it is given up by ${deadline} in any case`);
  return [...turnWait, ...agentWait].join('; ');
}

/** The map version that the agent has yet to report released; undefined when there is none. */
function unreleased({ leaving: { orderVersion, releasedVersion = -1 } }: NodeIn<'leaving'>): number | undefined {
  return orderVersion !== undefined && releasedVersion < orderVersion ? orderVersion : undefined;
}

/**
 * Whether a dropped node was given up as planned, and how it comes back if an administrator must allow that; undefined
 * for any other node.
 */
export function dropText(node: Node): string | undefined {
  if (node.status !== 'dropped') return undefined;
  const how = node.planned ? 'given up as planned' : 'given up unplanned';
  switch (node.readmission) {
    case undefined:
      return how;
    case 'awaited':
      return `${how}; it has not asked to come back, which an administrator must allow`;
    case 'asked':
      return `${how}; it asks to come back: muster node admit ${node.fqdn}`;
    case 'given':
      return `${how}; it may come back as new`;
  }
}
