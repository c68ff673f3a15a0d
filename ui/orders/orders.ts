import { pause } from '../live/pause.ts';
import { client } from '../live/queries.ts';
import { Carrying } from './carrying.ts';
import { memoryIn } from './memory.ts';

/** Search is a moment behind: what it finds is asked for once more after that. */
const laterMs = 1_500;

/** Asks anew for all that a list of client systems shows. What is under way is not asked for twice. */
export const refreshFound = (): Promise<void> => client.invalidateQueries({ queryKey: ['found'] }, { cancelRefetch: false });

async function refreshed(): Promise<void> {
  const one = client.invalidateQueries({ queryKey: ['systems'] });
  await Promise.all([one, refreshFound()]);
  await pause(laterMs);
  await refreshFound();
}

/** The orders to many of this page. */
export const orders = new Carrying(memoryIn(sessionStorage), () => void refreshed());
