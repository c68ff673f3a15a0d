import type { AdminCall } from '../../access/verify-admin.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { read } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { stationsRef } from '../../stations/stations.ts';
import { foundZone } from '../../zones/reads/found.ts';
import { countsRef } from '../../zones/zone.ts';
import { copyOf } from './copy.ts';
import { Notes } from './notes.ts';
import { give } from './orders.ts';
import { outcomeOf } from './outcome.ts';
import { play, type Round } from './play.ts';
import { isAtRest } from './rest.ts';
import type { ZonePreview } from './routes.ts';
import { keepHeard } from './rows.ts';
import { stationsLeft, storageLoss } from './storage.ts';

/** What would happen in a zone: the order is given on a copy, and the sweep is played there until nothing moves. */
export async function previewZone(call: AdminCall<'previewZone'>, shell: Shell): Promise<Answer> {
  const { zone } = call.params;
  const copy = copyOf(shell);
  const before = await foundZone(copy.shell, zone, call.caller);
  const counts = await read(copy.shell, countsRef(zone));
  const startsAt = copy.shell.now();
  // Whatever a preview stores has an id that says so: none of it may ever stand in a table.
  const given = await give({ ...call, request: { ...call.request, id: copy.shell.newId() } }, copy.shell);
  const nodes = await keepHeard(copy.shell, zone, given.silent);
  const about = given.about?.flatMap(({ index }) => index ?? []);
  const notes = new Notes({ given, before, counts, startsAt });
  let after = before;
  const watch = async (round: Round): Promise<boolean> => {
    after = round.zone;
    notes.take(round, after.head.stations && (await read(copy.shell, stationsRef(zone))));
    return isAtRest(after, { about: about ?? [], silent: given.silent }, round.at);
  };
  const isComplete = await play(copy, { zone, nodes, silent: given.silent, watch });
  const { name, mapVersion, kind } = before.head;
  const gone = { hosts: given.hosts, nodes: given.about ?? [] };
  const storage = kind === 'storage' && gone.hosts.size > 0 ? await storageLoss(shell, zone, gone) : undefined;
  const stations = gone.hosts.size > 0 ? await stationsLeft(shell, zone, gone.hosts) : undefined;
  const outcome = outcomeOf({ before, after, counts, about });
  const rests = { ...(storage && { storage }), ...(stations && { stations }) };
  const body: ZonePreview = { zone: name, what: given.what, mapVersion, ...outcome, ...notes.view(), isComplete, ...rests };
  return { status: 200, body };
}
