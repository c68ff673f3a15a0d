import { dayMs, type EpochMs, hourMs, plusMs } from '../../../core/time.ts';
import { zoneList } from '../../../ports/table/keys.ts';
import { stateOf } from '../../../runtime/content.ts';
import { readRow } from '../../../runtime/read.ts';
import { cached, type Shell } from '../../../runtime/shell.ts';
import { wholeList } from '../../../runtime/whole-list.ts';
import { Damaged } from '../../../uyuni/content/packed.ts';
import { zoneNow } from '../../../zones/reads/zones.ts';
import { isBlob, manifestIn, storedName } from '../reads/blobs.ts';
import { contentRef } from '../revision.ts';

/** How often an environment looks for blobs that nothing names, in ms. */
const everyMs = 6 * hourMs;
/** How long a blob stays that nothing names, in ms: those of a revision are stored before it begins. */
const unnamedForMs = dayMs;

/**
 * Removes blobs that no remembered revision of any zone names. Removes none if a manifest cannot be read: it may name
 * any of them.
 */
export async function removeUnnamedBlobs(shell: Shell): Promise<void> {
  const { objects } = shell;
  const last = cached<{ at?: EpochMs }>(shell, 'content-garbage', () => ({}));
  if (!objects || (last.at !== undefined && shell.now() < plusMs(last.at, everyMs))) return;
  last.at = shell.now();
  const until = plusMs(shell.now(), -unnamedForMs);
  const old = (await objects.list()).filter(({ name, at }) => isBlob(name) && at <= until);
  if (old.length === 0) return;
  const named = await namedBlobs(shell).catch((error: unknown) => {
    if (!(error instanceof Damaged)) throw error;
    shell.log('warn', 'content.unreadable', { detail: error.message });
    return undefined;
  });
  if (!named) return;
  const unnamed = old.filter(({ name }) => !named.has(name));
  for (const { name } of unnamed) await objects.remove(name);
  if (unnamed.length > 0) shell.log('info', 'content.removed', { blobs: unnamed.length });
}

/** What the blobs of all remembered revisions are called in the store. */
async function namedBlobs(shell: Shell): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const { sk: zone } of await wholeList(shell, zoneList)) {
    const content = stateOf(await readRow(shell, contentRef(zone)), shell.now());
    const number = (await zoneNow(shell, zone))?.head.number;
    if (!content || number === undefined) continue;
    for (const { manifest } of content.revisions) {
      for (const blob of manifest) named.add(storedName(number, blob));
      for (const { blobs } of (await manifestIn(shell, number, manifest)).parts)
        for (const blob of blobs) named.add(storedName(number, blob));
    }
  }
  return named;
}
