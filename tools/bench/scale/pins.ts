import { pinsPerPlanMax } from '../../../lib/clients/plan-pins.ts';
import { nodeIdAt } from '../zone.ts';
import { clientAt, nodeKeyAt } from './seed.ts';
import { type ScaleSite, signedCall } from './site.ts';

/**
 * An operator pins client systems among all the others to a node that is up, and lets them go. This comes last, because
 * its zone has pins from then on.
 */
export async function pinsPlayed(site: ScaleSite): Promise<void> {
  const { play, call } = site;
  const node = nodeIdAt(2);
  const asNode = signedCall(site, nodeKeyAt(2));
  const some = Array.from({ length: pinsPerPlanMax }, (_, n) => clientAt(n + 1));
  const pin = (systems: readonly string[]) => call('POST', '/api/v1/systems/pin', { body: { systems, node } });
  await asNode('GET', `/nodes/${node}/systems`);
  await play('the first pin of a zone', () => pin([clientAt(0)]));
  await play(`pin of ${some.length} client systems`, () => pin(some));
  await play('list of a node with pins, new', () => asNode('GET', `/nodes/${node}/systems?since=1`));
  await play('list of a node with pins, as before', () => asNode('GET', `/nodes/${node}/systems?since=2`));
  await play(`${some.length} client systems let go`, () => call('POST', '/api/v1/systems/unpin', { body: { systems: some } }));
}
