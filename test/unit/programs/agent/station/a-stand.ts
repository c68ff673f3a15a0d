import type { EpochMs } from '../../../../../lib/core/time.ts';

/** A folder in memory, a clock that is stepped, and nodes that take connections or not. */
export function aStand() {
  const files = new Map<string, string>();
  const folder = {
    path: '/nowhere',
    read: (name: string) => files.get(name),
    write: (name: string, text: string) => void files.set(name, text),
    remove: (name: string) => void files.delete(name),
  };
  let now = 1_800_000_000_000 as EpochMs;
  let timers: { at: number; then: () => void }[] = [];
  const world = {
    now: () => now,
    random: () => 0.5,
    after: (ms: number, then: () => void) => {
      const timer = { at: now + ms, then };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  };
  const open = new Set<string>();
  let asked = 0;
  let atOnce = 0;
  let most = 0;
  const ping = async (address: string) => {
    asked++;
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce--;
    return open.has(address);
  };
  const settle = async () => {
    for (let i = 0; i < 2_000; i++) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    for (const end = now + ms; ; ) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      now = (next?.at ?? end) as EpochMs;
      if (!next) return;
      timers = timers.filter((one) => one !== next);
      next.then();
      await settle();
    }
  };
  /** Time passes, and nothing that was to happen in it has. */
  const standStill = (ms: number) => {
    now = (now + ms) as EpochMs;
  };
  return { folder, world, ping, files, open, pass, settle, standStill, now: () => now, counts: () => ({ asked, most }) };
}
