import type { Invariant } from '../invariant.ts';
import { turns } from '../turns.ts';
import { aliases } from './aliases.ts';
import { audited } from './audited.ts';
import { banned } from './banned.ts';
import { byte } from './byte.ts';
import { cheap } from './cheap.ts';
import { clientRows } from './client-rows.ts';
import { clusterIds } from './cluster-ids.ts';
import { copiedIdentities, heldForTwo, onlyCopies } from './copied.ts';
import { damped } from './damped.ts';
import { declared } from './declared.ts';
import { homes } from './homes.ts';
import { idempotent } from './idempotent.ts';
import { knocks } from './knocks.ts';
import { lastReceives } from './last-receives.ts';
import { listed } from './listed.ts';
import { machineIds, systemNames } from './machine-ids.ts';
import { madeWith } from './made-with.ts';
import { mapVersions } from './map-versions.ts';
import { metadata } from './metadata.ts';
import { neighbours } from './neighbours.ts';
import { nextCalls } from './next-calls.ts';
import { nodeLists } from './node-lists.ts';
import { onboarded } from './onboarded.ts';
import { onboardingTokens } from './onboarding-tokens.ts';
import { ordersAnswered } from './orders-answered.ts';
import { pinned } from './pinned.ts';
import { replacedKeys } from './replaced-keys.ts';
import { reportsEnd } from './reports-end.ts';
import { revocations } from './revocations.ts';
import { rights } from './rights.ts';
import { sent } from './sent.ts';
import { silent } from './silent.ts';
import { switches } from './switches.ts';
import { takenIn } from './taken-in.ts';
import { tokenPace } from './token-pace.ts';
import { tokens } from './tokens.ts';
import { unexpected } from './unexpected.ts';
import { verdicts } from './verdicts.ts';

/** The promises to client systems, to whoever calls a door, and about messages. */
export const ofClients: readonly Invariant[] = [
  aliases,
  audited,
  banned,
  byte,
  cheap,
  clientRows,
  clusterIds,
  copiedIdentities,
  damped,
  declared,
  heldForTwo,
  homes,
  idempotent,
  knocks,
  lastReceives,
  listed,
  machineIds,
  metadata,
  neighbours,
  nextCalls,
  nodeLists,
  ordersAnswered,
  pinned,
  onboarded,
  onboardingTokens,
  onlyCopies,
  tokenPace,
  replacedKeys,
  reportsEnd,
  revocations,
  madeWith,
  mapVersions,
  rights,
  sent,
  silent,
  switches,
  systemNames,
  takenIn,
  tokens,
  turns,
  unexpected,
  verdicts,
];
