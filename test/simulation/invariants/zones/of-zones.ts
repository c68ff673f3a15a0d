import type { Invariant } from '../invariant.ts';
import { brakes } from './brakes.ts';
import { budgets } from './budgets.ts';
import { capacity } from './capacity.ts';
import { counts } from './counts.ts';
import { drains } from './drains.ts';
import { due } from './due.ts';
import { evened } from './evened.ts';
import { fits } from './fits.ts';
import { flaps } from './flaps.ts';
import { flushed } from './flushed.ts';
import { givenUp } from './given-up.ts';
import { grace } from './grace.ts';
import { inhabited } from './inhabited.ts';
import { outage } from './outage.ts';
import { paces } from './paces.ts';
import { pages } from './pages.ts';
import { previews } from './previews.ts';
import { recovery } from './recovery.ts';
import { releaseOrders } from './release-orders.ts';
import { releases } from './releases.ts';
import { shares } from './shares.ts';
import { shownOnce } from './shown-once.ts';
import { silence } from './silence.ts';
import { standings } from './standings.ts';
import { together } from './together.ts';
import { unqueued } from './unqueued.ts';
import { zoneVersions } from './zone-versions.ts';
import { zonesApart } from './zones-apart.ts';

/** What is promised of zones: whom they give up, how much moves at once, and what a look at one shows. */
export const ofZones: readonly Invariant[] = [
  brakes,
  budgets,
  capacity,
  counts,
  drains,
  due,
  evened,
  fits,
  flaps,
  flushed,
  givenUp,
  grace,
  inhabited,
  outage,
  paces,
  pages,
  previews,
  recovery,
  releaseOrders,
  releases,
  shares,
  shownOnce,
  silence,
  standings,
  together,
  unqueued,
  zoneVersions,
  zonesApart,
];
