import type { ApiClient } from '../../../lib/api/client.ts';
import { folderAt } from '../../../lib/machine/folder.ts';
import { type FoundEndpoint, findEndpoint } from '../image.ts';
import type { Ledger } from '../ledger.ts';
import type { AgentOptionsGiven } from '../options.ts';
import { type Check, missing, unknown, well } from './check.ts';
import { folderCheck, keyCheck, nameCheck, wayInCheck } from './folder.ts';
import { mendable } from './mendable.ts';
import { endpointCheck, musterChecks } from './muster.ts';
import { processChecks } from './processes.ts';
import { serviceChecks } from './services.ts';
import { siteChecks } from './site.ts';
import type { GivenSettings } from './told.ts';

/** What the doctor needs of the host, besides its files. */
export type Patient = {
  readonly hostname: string;
  /** The PATH in which to look for commands. */
  readonly path: string;
  /** The folder that exists while systemd runs; systemd's own by default. */
  readonly systemd?: string;
  readonly version: string;
  readonly builtInEndpoint: string | undefined;
  readonly now: () => number;
  /** A client of a deployment that signs by a ledger, where there is one, without changing it. */
  connect(endpoint: string, ledger: Ledger | undefined): ApiClient;
};

/** Checks everything that an agent needs, and changes nothing. Throws errors that are not a fault of the host. */
export async function examine(given: AgentOptionsGiven, settings: GivenSettings, patient: Patient): Promise<Check[]> {
  const { check: key, ledger } = keyCheck(given.home);
  return [
    ...configurationChecks(settings),
    folderCheck(given.home),
    key,
    nameCheck(given, ledger, patient.hostname),
    wayInCheck(given, ledger, key.is === 'well'),
    ...(await wayOutChecks(given, ledger, patient)),
    ...(await processChecks(given, patient)),
    ...serviceChecks(given),
    ...siteChecks(given, patient),
  ];
}

function configurationChecks({ file, fault, values }: GivenSettings): Check[] {
  return [
    fault === undefined
      ? well('configuration', file === undefined ? 'no file' : `the file ${file}`)
      : missing('configuration', fault, 'fix the line, or name another file by --config'),
    ...values.map(({ name, value, by }) => well('configuration', `${name} = ${value}, by ${by}`)),
  ];
}

async function wayOutChecks(given: AgentOptionsGiven, ledger: Ledger | undefined, patient: Patient): Promise<Check[]> {
  const found = mendable((): FoundEndpoint => findEndpoint(folderAt(given.home), given.endpoint, patient.builtInEndpoint));
  if (!found.ok) return [missing('endpoint', found.why, 'fix the file, or name an endpoint'), unknown('reachable', 'no endpoint is known')];
  const { endpoint } = found.value;
  const check = endpointCheck(found.value, given.insecure);
  if (check.is !== 'well') return [check, unknown('reachable', 'not called: the agent would refuse this endpoint')];
  return [check, ...(await musterChecks({ ...patient, endpoint, ledger, api: patient.connect(endpoint, ledger) }))];
}
