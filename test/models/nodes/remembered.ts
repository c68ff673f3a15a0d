import type { NodeReport } from '../../../events/reported/node.ts';
import type { NodeStep } from './laws.ts';

/** All that the model knows of a node: what was said, and what of it still counts. */
export type Remembered = {
  /** Every report ever made, to be handed out again. */
  readonly said: NodeReport[];
  /** Quarantined, and nobody has lifted it. */
  isQuarantined: boolean;
  /** It said that it is ready since it joined as new. */
  isReady: boolean;
  /** The last two boots that were acknowledged since an operator last kept the node, the newer last. */
  boots: readonly string[];
  /** When somebody last ordered it to leave or to stay, and was heard. */
  wordAt: number;
  /** Until when a tick said that nobody is expired. */
  graceUntil: number;
};

/** A model of a node that never was. */
export const remembersNothing = (): Remembered => ({
  said: [],
  isQuarantined: false,
  isReady: false,
  boots: [],
  wordAt: -1,
  graceUntil: -1,
});

/** Takes a step into the model. */
export function remember(model: Remembered, { before, after, input, now }: NodeStep): void {
  if (!after) return void Object.assign(model, { ...remembersNothing(), said: model.said });
  const joinsAsNew = after.generation > (before?.generation ?? 0);
  if (joinsAsNew) Object.assign(model, { isQuarantined: false, isReady: false });
  if (input.type === 'node.ready' && before && input.incarnation === before.incarnation) model.isReady = true;
  if (after.incarnation > (before?.incarnation ?? 0) && after.boot?.id !== model.boots.at(-1))
    model.boots = [...model.boots, after.boot!.id].slice(-2);
  if (input.type === 'tick') model.graceUntil = Math.max(model.graceUntil, input.graceUntil ?? -1);
  if ('reason' in after && after.reason) model.isQuarantined = true;
  else if (input.type === 'tick') model.isQuarantined = false;
  const isWord = /stay|leav/.test(input.type) && JSON.stringify(before) !== JSON.stringify(after);
  if (!isWord) return;
  model.wordAt = 'receivedAt' in input ? input.receivedAt : now;
  if (input.type === 'stay') Object.assign(model, { isQuarantined: false, boots: model.boots.slice(-1) });
}
