import { type EpochMs, plusMs } from '../core/time.ts';
import { type Node, type NodeIn, releaseWaitMs } from './node.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/**
 * What a node that drains waits for, in words, when so many slots are its own; undefined for one that does not drain.
 */
export function toldWait(node: Node, slots: number): string | undefined {
  if (node.status !== 'leaving' || node.leaving.mode !== 'drain') return undefined;
  if (slots > 0) return `${slots} slot${slots === 1 ? '' : 's'} must find another node`;
  const { turnsUntil, since, movedAt } = node.leaving;
  const turns = turnsUntil === undefined ? [] : [`its client systems wait for their turns elsewhere, the last one ${iso(turnsUntil)}`];
  const order = unreleased(node);
  const deadline = iso(plusMs(movedAt ?? since, releaseWaitMs));
  const word = order === undefined ? [] : [`its agent has not said that it made those of map version ${order} knock`];
  if (turns.length === 0) word.push(`${order === undefined ? 'its slots are gone; ' : ''}it is given up by ${deadline} in any case`);
  return [...turns, ...word].join('; ');
}

/** The map version whose release is awaited of the agent; undefined when none is. */
function unreleased({ leaving: { orderVersion, releasedVersion = -1 } }: NodeIn<'leaving'>): number | undefined {
  return orderVersion !== undefined && releasedVersion < orderVersion ? orderVersion : undefined;
}

/**
 * That a dropped node was given up as planned or not, and how it comes back where an administrator has to say so;
 * undefined for any other.
 */
export function toldDrop(node: Node): string | undefined {
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
