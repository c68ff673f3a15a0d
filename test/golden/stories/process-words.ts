import { hourMs, minuteMs } from '../../../lib/core/time.ts';
import type { Agent } from '../../../tools/support/players.ts';
import { aStorageZone } from '../../support/a-storage-zone.ts';
import type { Story } from '../recorder.ts';

/** Says words about processes, counted from the last one said. */
export const teller = (agent: Agent) => {
  let words = 0;
  return (...said: readonly (readonly [string, object])[]): Promise<unknown> => {
    const events = said.map(([type, data]) => {
      words += 1;
      return { id: `${agent.fqdn}-word-${words}`, type, version: 1, incarnation: agent.incarnation, seq: words, data };
    });
    return agent.call('POST', `/nodes/${agent.id}/events`, events);
  };
};

/**
 * Processes of one host, told by their agent: one that runs and stops, one that fails, one that is shown by a table alone, and a word that comes
 * too late. Then the host is given up, and what ran there is lost.
 */
export const processesAreReported: Story = async (world) => {
  const lab = await aStorageZone(world);
  const ssu1 = await lab.host('ssu1.acme.org');
  const added = await lab.call('POST', 'mero/processes', { node: 'ssu1.acme.org', roles: ['clovis-app'], set: { multiplicity: 3 } });
  const [first, second, third] = (added.body as { processes: { process: string }[] }).processes.map(({ process }) => process);
  const tell = teller(ssu1);
  const life = { process: first, pid: 4711, born: 'k1.100' };

  await tell(['process.starting', { process: first }], ['process.started', life]);
  await world.step(10 * minuteMs);
  await tell(['process.stopping', life]);
  await world.step(minuteMs);
  await tell(['process.stopped', { ...life, exit: 0 }], ['process.stopped', life], ['process.started', life]);
  await world.step(10 * minuteMs);

  await tell(['process.starting', { process: second }], ['process.failed', { process: second, reason: 'no such unit' }]);
  await world.step(10 * minuteMs);
  await tell(['node.table', { hash: 'b3c1', processes: [{ process: third, pid: 4712, state: 'online' }] }]);
  await world.step(10 * minuteMs);

  ssu1.fallSilent();
  await world.call('POST', '/api/v1/nodes/ssu1.acme.org/drop', {});
  await world.step(2 * hourMs);
};
