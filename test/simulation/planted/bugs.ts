import type { Bug } from './bug.ts';
import { actedBugs } from './bugs/acted.ts';
import { admissionBugs } from './bugs/admission.ts';
import { adoptionBugs } from './bugs/adoptions.ts';
import { answerBugs } from './bugs/answers.ts';
import { auditBugs } from './bugs/audit.ts';
import { clientBugs } from './bugs/clients.ts';
import { clusterIdBugs } from './bugs/cluster-ids.ts';
import { doorBugs } from './bugs/doors.ts';
import { entryBugs } from './bugs/entries.ts';
import { gatewayBugs } from './bugs/gateway.ts';
import { gatewayHubBugs } from './bugs/gateway-hub.ts';
import { guardRailBugs } from './bugs/guard-rails.ts';
import { hostBugs } from './bugs/hosts.ts';
import { identityBugs } from './bugs/identities.ts';
import { journalBugs } from './bugs/journal.ts';
import { knockBugs } from './bugs/knocks.ts';
import { loadBugs } from './bugs/loads.ts';
import { metadataBugs } from './bugs/metadata.ts';
import { nodeBugs } from './bugs/nodes.ts';
import { olderWordBugs } from './bugs/older-words.ts';
import { orderBugs } from './bugs/orders.ts';
import { pinBugs } from './bugs/pins.ts';
import { processBugs } from './bugs/processes.ts';
import { rightsBugs } from './bugs/rights.ts';
import { runtimeBugs } from './bugs/runtime.ts';
import { searchBugs } from './bugs/search.ts';
import { seatBugs } from './bugs/seats.ts';
import { serverBugs } from './bugs/servers.ts';
import { serviceBugs } from './bugs/services.ts';
import { silenceBugs } from './bugs/silence.ts';
import { siteOrderBugs } from './bugs/site-orders.ts';
import { stationBugs } from './bugs/stations.ts';
import { supervisorBugs } from './bugs/supervisors.ts';
import { sweepBugs } from './bugs/sweep.ts';
import { switchBugs } from './bugs/switches.ts';
import { tokenKeyBugs } from './bugs/token-keys.ts';
import { voucherBugs } from './bugs/vouchers.ts';
import { webhookBugs } from './bugs/webhooks.ts';
import { zoneBugs } from './bugs/zones.ts';

/** Every planted bug. */
export const bugs: readonly Bug[] = [
  ...runtimeBugs,
  ...nodeBugs,
  ...zoneBugs,
  ...admissionBugs,
  ...pinBugs,
  ...webhookBugs,
  ...sweepBugs,
  ...guardRailBugs,
  ...olderWordBugs,
  ...orderBugs,
  ...clientBugs,
  ...serverBugs,
  ...adoptionBugs,
  ...clusterIdBugs,
  ...entryBugs,
  ...seatBugs,
  ...silenceBugs,
  ...doorBugs,
  ...answerBugs,
  ...auditBugs,
  ...journalBugs,
  ...rightsBugs,
  ...tokenKeyBugs,
  ...switchBugs,
  ...identityBugs,
  ...knockBugs,
  ...metadataBugs,
  ...hostBugs,
  ...processBugs,
  ...loadBugs,
  ...searchBugs,
  ...serviceBugs,
  ...supervisorBugs,
  ...stationBugs,
  ...siteOrderBugs,
  ...voucherBugs,
  ...actedBugs,
  ...gatewayBugs,
  ...gatewayHubBugs,
];
