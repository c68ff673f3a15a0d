import { Unreachable } from '../../../../lib/api/client.ts';
import { contract } from '../../../../lib/contract.ts';
import type { ZoneName } from '../../../../lib/core/ids.ts';
import { secondMs } from '../../../../lib/core/time.ts';
import type { CutFacts } from '../../../../lib/mero/facts/load/cut.ts';
import type { Cli } from '../../cli.ts';
import { Failure } from '../../exit-codes.ts';

/** Facts that are ready to be handed in. */
export type Cut = Extract<CutFacts, { ok: true }>;

/** The outcome of a load: it is there now, or was before. */
export type Loaded = { readonly load: string; readonly wasThere: boolean };

/** So many parts are under way at once: each waits for a few commits, and a deployment serves others meanwhile. */
const atOnce = 4;
/** How often a part is tried while Muster is too busy for it, or unreachable. */
const triesMax = 8;

/** Called with how many parts of how many are handed in. */
export type Progress = (done: number, all: number) => void;

/**
 * Loads facts. Parts that are handed in already are not sent again, so a load that died continues where it was. Throws
 * a {@link Failure} when it is refused.
 */
export async function loadFacts(cli: Cli, zone: ZoneName, cut: Cut, progress: Progress): Promise<Loaded> {
  const { digestOf } = await import('../../../../lib/mero/facts/load/identity.ts');
  const { body } = await cli.call(contract.beginMeroLoad, { params: { zone }, body: { identity: cut.identity, size: cut.size } });
  const { load, state } = body;
  if (state === 'loaded') return { load, wasThere: true };
  const has = (list: typeof body.pages): ReadonlySet<string> => new Set(list.map(({ n, digest }) => `${n} ${digest}`));
  const [pages, servers] = [has(body.pages), has(body.servers)];
  const work = [
    ...cut.pages.flatMap((page, n) =>
      pages.has(`${n} ${digestOf(page)}`) ? [] : [() => cli.call(contract.putMeroLayout, { params: { zone, load, n }, body: { page } })],
    ),
    ...cut.servers.flatMap((part, n) =>
      servers.has(`${n} ${digestOf(part)}`)
        ? []
        : [() => cli.call(contract.putMeroServers, { params: { zone, load, n }, body: { servers: [...part] } })],
    ),
  ];
  const all = cut.pages.length + cut.servers.length;
  let done = all - work.length;
  progress(done, all);
  await inParallel(work, atOnce, async (send) => {
    await patiently(cli, send);
    done += 1;
    progress(done, all);
  });
  await patiently(cli, () => cli.call(contract.finishMeroLoad, { params: { zone, load }, body: {} }));
  return { load, wasThere: false };
}

/** Works on all items, so many at a time; the first that fails ends it. */
export async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      next += 1;
      await work(items[next - 1]!).catch((error: unknown) => {
        next = items.length;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

/** Tries again while Muster is too busy: every part may be sent any number of times. */
export async function patiently(cli: Cli, send: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await send();
      return;
    } catch (error) {
      const isTransient =
        error instanceof Unreachable || (error instanceof Failure && ['busy', 'rate-limited'].includes(error.problem ?? ''));
      if (!isTransient || attempt === triesMax) throw error;
      await cli.terminal.sleep(attempt * secondMs);
    }
  }
}
