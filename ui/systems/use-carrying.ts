import { useRef, useState } from 'react';
import { pause } from '../live/pause.ts';
import { client } from '../live/queries.ts';
import { refreshFound } from './follow.ts';
import type { Progress } from './steps.ts';

/** How an order ended: with an error, or because a person stopped it, or well. */
export type Ended = { readonly error?: unknown; readonly isStopped?: true };

/** Search is a moment behind: what it finds is asked for once more after that. */
const laterMs = 1_500;

/** An order to many that goes step by step: how far it is, how it ended, and how to stop it between two steps. */
export function useCarrying() {
  const [progress, setProgress] = useState<Progress>();
  const [ended, setEnded] = useState<Ended>();
  const isStopped = useRef(false);
  const carry = async (of: number, steps: AsyncIterable<Progress>): Promise<void> => {
    isStopped.current = false;
    setProgress({ results: new Map(), of });
    setEnded(await carried(steps, setProgress, isStopped));
  };
  const stop = (): void => {
    isStopped.current = true;
  };
  const reset = (): void => {
    setProgress(undefined);
    setEnded(undefined);
  };
  return { progress, ended, carry, stop, reset };
}

async function carried(
  steps: AsyncIterable<Progress>,
  tell: (progress: Progress) => void,
  isStopped: { readonly current: boolean },
): Promise<Ended> {
  try {
    for await (const progress of steps) {
      tell(progress);
      if (isStopped.current && progress.results.size < progress.of) return { isStopped: true };
    }
    return {};
  } catch (error) {
    return { error };
  } finally {
    void refreshed();
  }
}

async function refreshed(): Promise<void> {
  const one = client.invalidateQueries({ queryKey: ['systems'] });
  await Promise.all([one, refreshFound()]);
  await pause(laterMs);
  await refreshFound();
}
