import { acknowledged } from './acknowledged.ts';
import { admittedNodes } from './admitted.ts';
import { agents } from './agents.ts';
import { brakes } from './brakes.ts';
import { budgets } from './budgets.ts';
import { capacity } from './capacity.ts';
import { clones } from './clones.ts';
import { copiedKeys } from './copied-keys.ts';
import { counts } from './counts.ts';
import { doors } from './doors.ts';
import { drains } from './drains.ts';
import { due } from './due.ts';
import { evened } from './evened.ts';
import { fits } from './fits.ts';
import { flaps } from './flaps.ts';
import { flushed } from './flushed.ts';
import { frozen } from './frozen.ts';
import { givenUp } from './given-up.ts';
import { grace } from './grace.ts';
import { history } from './history.ts';
import { hostFacts } from './host-facts.ts';
import { inhabited } from './inhabited.ts';
import { intervals } from './intervals.ts';
import type { Invariant } from './invariant.ts';
import { leaseGiven } from './lease-given.ts';
import { leaseKept } from './lease-kept.ts';
import { memberships } from './memberships.ts';
import { names } from './names.ts';
import { nodeMoves } from './node-moves.ts';
import { nodeNumbers } from './node-numbers.ts';
import { numbered } from './numbered.ts';
import { otherBoots } from './other-boots.ts';
import { outage } from './outage.ts';
import { owners } from './owners.ts';
import { pages } from './pages.ts';
import { published } from './published.ts';
import { readmitted } from './readmitted.ts';
import { reboots } from './reboots.ts';
import { recovery } from './recovery.ts';
import { releaseOrders } from './release-orders.ts';
import { releases } from './releases.ts';
import { replacements } from './replacements.ts';
import { shares } from './shares.ts';
import { shownOnce } from './shown-once.ts';
import { silence } from './silence.ts';
import { slotMoves } from './slot-moves.ts';
import { standings } from './standings.ts';
import { strangers } from './strangers.ts';
import { together } from './together.ts';
import { toldEvents } from './told-events.ts';
import { kept, rate } from './turns.ts';
import { unqueued } from './unqueued.ts';
import { words } from './words.ts';
import { zoneVersions } from './zone-versions.ts';
import { zonesApart } from './zones-apart.ts';

/** What is promised of nodes, of their zones, and of the events that say so. */
export const ofNodes: readonly Invariant[] = [
  acknowledged,
  admittedNodes,
  agents,
  brakes,
  budgets,
  capacity,
  clones,
  copiedKeys,
  counts,
  doors,
  drains,
  due,
  evened,
  fits,
  flaps,
  flushed,
  frozen,
  givenUp,
  grace,
  history,
  hostFacts,
  inhabited,
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
  outage,
  owners,
  pages,
  published,
  rate,
  readmitted,
  reboots,
  recovery,
  releaseOrders,
  releases,
  replacements,
  shares,
  shownOnce,
  silence,
  slotMoves,
  standings,
  strangers,
  together,
  toldEvents,
  unqueued,
  words,
  zoneVersions,
  zonesApart,
];
