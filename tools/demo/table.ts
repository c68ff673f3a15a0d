import type { Measured } from './story.ts';

/** A time in ms, as seconds for people. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** The measurements, as an aligned table of plain text. */
export function measuredTable(measured: Measured): string {
  const { nodes, systems, spread, lost, calls } = measured;
  const mean = systems / nodes;
  const made = Object.entries(calls).map(([name, count]) => `${name} ${count}`);
  const total = Object.values(calls).reduce((sum, count) => sum + count, 0);
  const rows: [string, string][] = [
    ['nodes', `${nodes}, up with their shares in ${seconds(measured.nodesUpMs)}`],
    ['client systems', `${systems}, all knocked in ${seconds(measured.knockedMs)}`],
    ['accepted → the last one onboarded', seconds(measured.onboardedMs)],
    ['client systems a node', `${Math.min(...spread)} / ${mean.toFixed(1)} / ${Math.max(...spread)} (min / mean / max)`],
    [`${lost.node} killed → down`, seconds(measured.downMs)],
    [`  → the last of its ${lost.systems} onboarded elsewhere`, seconds(measured.movedMs)],
    [`${lost.node} started → up`, seconds(measured.upAgainMs)],
    [`  → all of its ${lost.systems} back`, seconds(measured.backMs)],
    ['other client systems that changed nodes', `${measured.othersMoved} of ${measured.others}`],
    ['calls of the client systems', `${total} (${made.join(', ')})`],
  ];
  const width = Math.max(...rows.map(([what]) => what.length));
  return rows.map(([what, figure]) => `  ${what.padEnd(width)}  ${figure}\n`).join('');
}
