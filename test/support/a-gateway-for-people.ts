import { type AGateway, aGateway, type GatewayGiven } from './a-gateway.ts';
import { aPlayedNode, type PlayedNode } from './a-played-node.ts';

const names = ['a.acme.test', 'b.acme.test'] as const;
const people = { ada: 'lovelace', grace: 'hopper' };

/** A gateway before two played nodes that know ada and grace, and have the systems 101 and 201. */
export type GatewayForPeople = {
  readonly gateway: AGateway;
  readonly a: PlayedNode;
  readonly b: PlayedNode;
  readonly nodes: readonly PlayedNode[];
  close(): Promise<void>;
};

/** Starts the nodes and the gateway on ports of loopback. */
export async function aGatewayForPeople(given: GatewayGiven = {}): Promise<GatewayForPeople> {
  const [a, b] = [await aPlayedNode(names[0], [1], people), await aPlayedNode(names[1], [1], people)];
  const places = [[101, names[0], 1] as const, [201, names[1], 1] as const];
  const gateway = await aGateway([a, b], { places, ...given });
  return {
    gateway,
    a,
    b,
    nodes: [a, b],
    close: async () => {
      await gateway.close();
      await Promise.all([a.close(), b.close()]);
    },
  };
}
