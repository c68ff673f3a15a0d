import { minuteMs } from '../../../lib/core/time.ts';
import { aStorageZone } from '../../support/a-storage-zone.ts';
import type { Story } from '../recorder.ts';
import { teller } from './process-words.ts';

/** A cluster of one host is started, level by level; a server fails and is started again; the cluster is stopped, level by level. */
export const aClusterStartsAndStops: Story = async (world) => {
  const lab = await aStorageZone(world);
  const ssu1 = await lab.host('ssu1.acme.org');
  const roles = ['confd', 'storage', 'm0t1fs', 's3server'];
  const added = await lab.call('POST', 'mero/processes', { node: 'ssu1.acme.org', roles, set: { multiplicity: 1 } });
  const { processes } = added.body as { processes: { process: string }[] };
  const lives = processes.map(({ process }, n) => ({ process, pid: 4701 + n, born: `k1.${n}` }));
  const [confd, server, kernel, s3] = lives as [(typeof lives)[0], (typeof lives)[0], (typeof lives)[0], (typeof lives)[0]];
  const again = { ...server, pid: 4711, born: 'k1.9' };
  const tell = teller(ssu1);

  await lab.call('POST', 'mero/start', {});
  await world.step(2 * minuteMs);
  for (const life of [confd, server, kernel, s3]) {
    await tell(['process.starting', { process: life.process }], ['process.started', life]);
    await world.step(2 * minuteMs);
  }
  await tell(['process.stopped', { ...server, exit: 139 }]);
  await world.step(2 * minuteMs);
  await tell(['process.starting', { process: again.process }], ['process.started', again]);
  await world.step(2 * minuteMs);

  await lab.call('POST', 'mero/stop', { reason: 'new racks' });
  await world.step(2 * minuteMs);
  for (const life of [s3, kernel, again, confd]) {
    await tell(['process.stopping', life], ['process.stopped', { ...life, exit: 0 }]);
    await world.step(2 * minuteMs);
  }
};
