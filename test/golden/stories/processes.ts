import { minuteMs } from '../../../lib/core/time.ts';
import { aStorageZone } from '../../support/a-storage-zone.ts';
import type { Story } from '../recorder.ts';

/**
 * A host gets a process of its own master, which goes again; then one of Muster's, with which an operator takes the whole host out: its agent
 * is told that it was removed.
 */
export const processesComeAndGo: Story = async (world) => {
  const lab = await aStorageZone(world);
  const ssu1 = await lab.host('ssu1.acme.org');
  const added = await lab.call('POST', 'mero/processes', { node: 'ssu1.acme.org', roles: ['clovis-app'], set: { multiplicity: 1 } });
  const [app] = (added.body as { processes: { process: string }[] }).processes;
  await world.step(10 * minuteMs);
  await lab.call('POST', `mero/processes/${app!.process}/remove`, {});
  await world.step(10 * minuteMs);
  await lab.call('POST', 'mero/processes', { node: 'ssu1.acme.org', roles: ['m0t1fs'] });
  await world.step(10 * minuteMs);
  await lab.call('POST', 'halon/nodes/ssu1.acme.org/remove', {});
  await world.step(10 * minuteMs);
  await ssu1.up();
  ssu1.fallSilent();
  await world.step(30 * minuteMs);
};
