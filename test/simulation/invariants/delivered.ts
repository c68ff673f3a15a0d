import type { Invariant } from './invariant.ts';

/** Nothing stays under way: what a queue or the feed took is handed over in the end. */
export const delivered: Invariant = {
  name: 'nothing-stays-under-way',
  says: 'queues of reports and deliveries, and the feed, run empty once faults have ended, and no dead letter of a queue is left',
  begin: ({ world }) => ({
    unrest: () => {
      const { cluster, sources } = world();
      const [reports, deliveries] = [cluster.queueOf('reports'), cluster.queueOf('webhooks')];
      return [
        ...(sources.fed ? [] : ['the feed is not published to its end']),
        ...(reports.waiting > 0 ? [`${reports.waiting} reports wait`] : []),
        ...(deliveries.waiting > 0 ? [`${deliveries.waiting} deliveries wait`] : []),
        ...[...cluster.queues.values()].flatMap(({ name, dead }) => (dead.length > 0 ? [`${dead.length} dead letters of ${name}`] : [])),
      ];
    },
  }),
};
