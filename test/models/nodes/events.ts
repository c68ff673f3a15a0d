import type { NodeStep } from './laws.ts';

/** What may be concluded from a move of a node's status, by from and to; most moves have one name. */
const byMove: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'absent → joining': [['node.joined']],
  'joining → up': [['node.activated']],
  'joining → suspect': [['node.suspected']],
  'up → suspect': [['node.suspected']],
  'leaving → suspect': [['node.suspected']],
  'quarantined → suspect': [['node.suspected']],
  'suspect → joining': [['node.recovered']],
  'suspect → up': [['node.recovered']],
  // It was leaving and is heard again, or an operator orders it to leave while it is silent.
  'suspect → leaving': [['node.recovered'], ['node.departing']],
  // It was quarantined and is heard again, or it speaks with the boot before.
  'suspect → quarantined': [['node.recovered'], ['node.quarantined']],
  'joining → quarantined': [['node.quarantined']],
  'up → quarantined': [['node.quarantined']],
  'leaving → quarantined': [['node.quarantined']],
  'up → leaving': [['node.departing']],
  'leaving → up': [['node.recovered']],
  'quarantined → joining': [['node.recovered']],
  'quarantined → up': [['node.recovered']],
  'suspect → down': [['node.lost']],
  'leaving → down': [['node.lost']],
  'down → joining': [['node.recovered']],
  'down → up': [['node.recovered']],
  // For flapping it is quarantined as it comes back; a clone was so before.
  'down → quarantined': [['node.recovered'], ['node.recovered', 'node.quarantined']],
  'dropped → joining': [['node.readmitted', 'node.joined']],
};

/** The events, by type, that a step may have: one list of these. */
export function eventsOf({ before, after, input }: NodeStep): readonly (readonly string[])[] {
  if (!before || !after || before.status === after.status) {
    // Another way or another deadline to leave; a down node's clone, which is quarantined once it is back.
    if (after?.status === 'leaving' && /leav/.test(input.type)) return [[], ['node.departing']];
    if (before?.status === 'dropped' && after?.status === 'dropped')
      return [before.readmission === 'awaited' && after.readmission === 'asked' ? ['node.readmission-asked'] : []];
    // So is one that was quarantined for flapping only.
    const isMaybeClone = after?.status === 'down' || after?.status === 'quarantined';
    return isMaybeClone && input.type === 'node.up' ? [[], ['node.quarantined']] : [[]];
  }
  if (after.status === 'dropped') return [['node.dropped']];
  return byMove[`${before.status} → ${after.status}`] ?? [];
}
