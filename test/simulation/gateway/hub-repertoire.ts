import { DateTime, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { serverIdOf } from '../../../programs/gateway/hub/server-ids.ts';
import { between, oneOf, type Random } from '../random.ts';
import type { Estate } from './estate.ts';
import type { Call } from './repertoire.ts';
import { accounts } from './world.ts';

/** What calls of the hub are drawn from: systems and servers, a token, and what draws a system. */
export type HubDrawing = {
  readonly random: Random;
  readonly estate: Estate;
  readonly token: string;
  readonly aSystem: () => number;
};

/** A number that no server has. */
const nobody = 7;

/** Draws a call by the names of the hub: lists, calls about one system on each server, common content, other people. */
export function drawHubCall(drawing: HubDrawing): Call {
  const { random, token, aSystem } = drawing;
  const drawn = random();
  const servers = someServers(drawing);
  if (drawn < 0.3) return { method: 'multicast.system.listSystems', params: [servers], systems: [], token: undefined, servers };
  if (drawn < 0.5) return ofOneServer(drawing);
  if (drawn < 0.75) {
    const systems = servers.map(aSystem);
    const values = servers.map(() => ({ token }));
    return { method: 'multicast.system.setCustomValues', params: [servers, systems, values], systems, token, servers };
  }
  if (drawn < 0.83) {
    const texts = servers.map(() => token);
    return { method: 'multicast.systemgroup.create', params: [servers, texts, texts], systems: [], token, servers };
  }
  if (drawn < 0.87)
    return { method: 'multicast.system.getDetails', params: [servers, [aSystem()]], systems: [], token: undefined, servers };
  return attaching(drawing, servers);
}

function someServers({ random, estate }: HubDrawing): number[] {
  const named = estate.nodes.filter(() => random() < 0.7).map((name) => serverIdOf({ name }));
  return random() < 0.1 ? [...named, nobody] : named.sort(() => random() - 0.5);
}

/** A call about a system, which may live on another server than is named. */
function ofOneServer({ random, estate, token, aSystem }: HubDrawing): Call {
  const system = aSystem();
  const home = estate.machines.find(({ clusterId }) => clusterId === system)?.row;
  const name = random() < 0.7 ? (home ?? estate.nodes[0]!) : oneOf(random, estate.nodes)!;
  const params = [serverIdOf({ name }), system];
  if (random() < 0.5) return { method: 'unicast.system.getDetails', params, systems: [system], token: undefined };
  return { method: 'unicast.system.scheduleReboot', params: [...params, new DateTime(token)], systems: [system], token };
}

/** Some are attached as somebody else, with a password that may be wrong. */
function attaching({ random }: HubDrawing, servers: readonly number[]): Call {
  const call = { method: 'hub.attachToServers', systems: [], token: undefined };
  if (random() < 0.3) return { ...call, params: [servers] };
  const as = servers.map(() => accounts[between(random, 0, accounts.length - 1)]!);
  const passwords = as.map(({ password }): Value => (random() < 0.2 ? 'a wrong one' : password));
  return { ...call, params: [servers, as.map(({ login }) => login), passwords], as };
}
