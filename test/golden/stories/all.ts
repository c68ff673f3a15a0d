import type { Story } from '../recorder.ts';
import {
  aClientSystemFallsSilent,
  aClientSystemIsBanned,
  aDigestConfirms,
  aMachineIsInstalledAnew,
  clientSystemsAreLabelled,
  clientSystemsArePinned,
  twoKeysSayOneMachineId,
  twoMachinesHaveOneIdentity,
} from './clients.ts';
import { aClusterStartsAndStops } from './levels.ts';
import { whatCannotBeTaken } from './messages.ts';
import {
  aNameChangesHands,
  aNodeAsksToComeBack,
  aNodeIsLostAndFound,
  aNodeIsReplaced,
  aNodeIsVouchedFor,
  aNodeTakesAnotherKey,
  aZoneIsCrowded,
  aZoneIsDisrupted,
  nodesLeave,
  twoMachinesHaveOneKey,
} from './nodes.ts';
import { processesAreReported } from './process-words.ts';
import { processesComeAndGo } from './processes.ts';
import { commonContentIsEdited, commonContentIsTheSame } from './seats.ts';
import {
  actionsAreNumbered,
  aServerIsEntered,
  clientSystemsAreActedOn,
  clusterIdsAreGiven,
  systemsAreAdopted,
  whatChangesOnAServer,
} from './servers.ts';
import { aServiceConfiguresItself, aServiceFailsAndIsLost, aServiceIsStartedAndAsked } from './services.ts';
import { hostsArePowerCycled, stationsHaveTheirOwnProgram } from './site-orders.ts';
import { stationsComeAndGo } from './stations.ts';
import { supervisorsWatch } from './supervisors.ts';
import { aZoneRecovers, zonesComeAndGo } from './zones.ts';

/** Every story that can be recorded, by the name of its history. Once recorded, a story is only how its history came about. */
export const stories: Readonly<Record<string, Story>> = {
  'a-node-is-lost-and-found': aNodeIsLostAndFound,
  'nodes-leave': nodesLeave,
  'two-machines-have-one-key': twoMachinesHaveOneKey,
  'a-name-changes-hands': aNameChangesHands,
  'a-node-takes-another-key': aNodeTakesAnotherKey,
  'a-zone-is-disrupted': aZoneIsDisrupted,
  'a-zone-is-crowded': aZoneIsCrowded,
  'a-node-asks-to-come-back': aNodeAsksToComeBack,
  'a-node-is-replaced': aNodeIsReplaced,
  'a-node-is-vouched-for': aNodeIsVouchedFor,
  'a-zone-recovers': aZoneRecovers,
  'a-client-system-is-banned': aClientSystemIsBanned,
  'a-digest-confirms': aDigestConfirms,
  'a-client-system-falls-silent': aClientSystemFallsSilent,
  'client-systems-are-labelled': clientSystemsAreLabelled,
  'client-systems-are-pinned': clientSystemsArePinned,
  'a-machine-is-installed-anew': aMachineIsInstalledAnew,
  'two-keys-say-one-machine-id': twoKeysSayOneMachineId,
  'two-machines-have-one-identity': twoMachinesHaveOneIdentity,
  'processes-are-reported': processesAreReported,
  'zones-come-and-go': zonesComeAndGo,
  'processes-come-and-go': processesComeAndGo,
  'a-cluster-starts-and-stops': aClusterStartsAndStops,
  'stations-come-and-go': stationsComeAndGo,
  'common-content-is-edited': commonContentIsEdited,
  'common-content-is-the-same': commonContentIsTheSame,
  'a-service-configures-itself': aServiceConfiguresItself,
  'a-service-is-started-and-asked': aServiceIsStartedAndAsked,
  'a-service-fails-and-is-lost': aServiceFailsAndIsLost,
  'supervisors-watch': supervisorsWatch,
  'hosts-are-power-cycled': hostsArePowerCycled,
  'stations-have-their-own-program': stationsHaveTheirOwnProgram,
  'what-changes-on-a-server': whatChangesOnAServer,
  'systems-are-adopted': systemsAreAdopted,
  'a-server-is-entered': aServerIsEntered,
  'actions-are-numbered': actionsAreNumbered,
  'client-systems-are-acted-on': clientSystemsAreActedOn,
  'cluster-ids-are-given': clusterIdsAreGiven,
  'what-cannot-be-taken': whatCannotBeTaken,
};
