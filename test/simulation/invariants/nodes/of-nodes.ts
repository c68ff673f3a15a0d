import type { Invariant } from '../invariant.ts';
import { kept, rate } from '../turns.ts';
import { acknowledged } from './acknowledged.ts';
import { admittedNodes } from './admitted.ts';
import { agents } from './agents.ts';
import { clones } from './clones.ts';
import { copiedKeys } from './copied-keys.ts';
import { doors } from './doors.ts';
import { frozen } from './frozen.ts';
import { history } from './history.ts';
import { hostFacts } from './host-facts.ts';
import { intervals } from './intervals.ts';
import { leaseGiven } from './lease-given.ts';
import { leaseKept } from './lease-kept.ts';
import { memberships } from './memberships.ts';
import { names } from './names.ts';
import { nodeMoves } from './node-moves.ts';
import { nodeNumbers } from './node-numbers.ts';
import { numbered } from './numbered.ts';
import { otherBoots } from './other-boots.ts';
import { owners } from './owners.ts';
import { published } from './published.ts';
import { readmitted } from './readmitted.ts';
import { reboots } from './reboots.ts';
import { replacements } from './replacements.ts';
import { slotMoves } from './slot-moves.ts';
import { strangers } from './strangers.ts';
import { toldEvents } from './told-events.ts';
import { words } from './words.ts';

/** What is promised of nodes, of their leases and slots, and of the events that say so. */
export const ofNodes: readonly Invariant[] = [
  acknowledged,
  admittedNodes,
  agents,
  clones,
  copiedKeys,
  doors,
  frozen,
  history,
  hostFacts,
  intervals,
  kept,
  leaseGiven,
  leaseKept,
  memberships,
  names,
  nodeMoves,
  nodeNumbers,
  numbered,
  otherBoots,
  owners,
  published,
  rate,
  readmitted,
  reboots,
  replacements,
  slotMoves,
  strangers,
  toldEvents,
  words,
];
