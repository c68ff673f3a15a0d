import type { AgentOptionsGiven } from '../options.ts';
import { type RunsAs, runsAs } from '../runs-as.ts';
import { allowedBy, takesNone } from '../services/allowed.ts';
import { type Check, missing, well } from './check.ts';

/** Checks which service types run here, and whether the user is known for those that are commands. */
export function serviceChecks({ allowService, serviceUser }: AgentOptionsGiven, as: RunsAs = runsAs(serviceUser)): Check[] {
  const allowed = [...allowedBy(allowService)].sort();
  const commands = allowed.filter((name) => !takesNone.includes(name));
  const runs = well('services', allowed.length === 0 ? 'this host runs none' : `this host runs these types: ${allowed.join(', ')}`);
  return [runs, ...commands.map((name) => userCheck(name, as(name)))];
}

const userCheck = (name: string, as: ReturnType<RunsAs>): Check =>
  as.ok
    ? well('service user', `${name} runs as ${as.user?.name ?? 'the user of the agent'}`)
    : missing('service user', as.why, `set service-user = ${name}=USER in the agent’s configuration`);
