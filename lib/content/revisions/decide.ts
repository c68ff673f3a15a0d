import type { Published } from '../../../events/catalogue.ts';
import { type Decision, nothing, type Written, write } from '../../core/decision.ts';
import type { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { type Exporting, exportMs, lookMs, type Revision, restMs, revisionOf, revisionsMax, type ZoneContent } from './revision.ts';

type ContentEvent = Extract<Published, { type: `content.${string}` }>;
type Decided = Decision<ZoneContent, ContentEvent>;

/** An order that cannot be carried out now, and why, in words. */
export type RefusedOrder = { readonly does: 'refuse'; readonly because: string };

/** Who gives an order, why, and whether what servers have beyond the revision is to be removed. */
export type Ordering = {
  readonly zone: ZoneName;
  readonly order: string;
  readonly by: string;
  readonly because: string;
  readonly removes?: true | undefined;
};

/** The content of a zone without any revision. */
const none = (zone: ZoneName): ZoneContent => ({ zone, last: 0, revisions: [] });

/** The server whose content becomes the next revision, and from when on nothing can be edited there any more. */
export type Source = { readonly node: NodeId; readonly fqdn: Fqdn; readonly generation: number; readonly from: EpochMs };

/** An operator has the content of a server become the next revision: its agent reads it once nobody can edit it. */
export function decideApply(
  content: ZoneContent | undefined,
  { zone, order, by, because, removes }: Ordering,
  { node, fqdn, generation, from }: Source,
): Written<ZoneContent, ContentEvent> | RefusedOrder {
  const before = content ?? none(zone);
  if (before.exporting) return refused(`the content of ${before.exporting.fqdn} is being read as revision ${before.last + 1} already`);
  const exporting: Exporting = {
    order,
    node,
    fqdn,
    generation,
    from,
    until: plusMs(from, exportMs),
    by,
    because,
    ...(removes && { removes }),
  };
  return write({ ...before, exporting }, `${fqdn} has revision ${before.last + 1}: ${because}`, { wakeAt: from });
}

const refused = (because: string): RefusedOrder => ({ does: 'refuse', because });

/** What the agent of a server has read and stored. */
export type Exported = Pick<Revision, 'root' | 'entries' | 'manifest'> & { readonly order: string };

/** The agent has read the content: it is the next revision, which all servers are to have. */
export function decideExported(content: ZoneContent | undefined, { order, root, entries, manifest }: Exported, now: EpochMs): Decided {
  const exporting = content?.exporting;
  if (!content || exporting?.order !== order) return nothing('it was not ordered, or is done');
  if (now >= exporting.until) return nothing('it took too long: it may be edited again');
  const { node, fqdn, by, because, removes } = exporting;
  const revision = { root, entries, manifest: [...manifest], at: now, by, because, node, fqdn, ...(removes && { removes }) };
  return begun(content, revision, now);
}

/** A revision begins to spread. */
function begun(content: ZoneContent, given: Omit<Revision, 'revision'>, now: EpochMs): Decided {
  const { exporting: _read, spreading: _before, ...rest } = content;
  const revision: Revision = { revision: content.last + 1, ...given };
  const next: ZoneContent = {
    ...rest,
    last: revision.revision,
    revisions: [...content.revisions, revision].slice(-revisionsMax),
    spreading: { since: now },
  };
  const { node, fqdn, entries, by, because, of } = revision;
  const about = { zone: content.zone, revision: revision.revision, node, fqdn, entries, by, because, ...(of !== undefined && { of }) };
  const event: ContentEvent = { type: 'content.applying', version: 1, data: about };
  return write(next, `revision ${revision.revision}, of ${fqdn}: ${because}`, { events: [event], wakeAt: now });
}

/** The content of a server could not be read: the revision before stays. */
export function decideExportFailed(
  content: ZoneContent | undefined,
  { order, why }: { readonly order: string; readonly why: string },
  now: EpochMs,
): Decided {
  if (!content || content.exporting?.order !== order) return nothing('it was not ordered, or is done');
  const { exporting, ...rest } = content;
  const about = { zone: content.zone, revision: content.last + 1, node: exporting.node, fqdn: exporting.fqdn, why };
  const event: ContentEvent = { type: 'content.failed', version: 1, data: about };
  return write(rest, `the content of ${exporting.fqdn} could not be read: ${why}`, { events: [event], wakeAt: now });
}

/** An operator takes the documents of an earlier revision back: they are the next revision. */
export function decideRollback(
  content: ZoneContent | undefined,
  to: number,
  { by, because, removes }: Omit<Ordering, 'order'>,
  now: EpochMs,
): Decided | RefusedOrder {
  if (content?.exporting) return refused(`the content of ${content.exporting.fqdn} is being read as revision ${content.last + 1}`);
  const known = content?.revisions.find(({ revision }) => revision === to);
  if (!content || !known) return refused(`revision ${to} is not remembered`);
  if (known.revision === content.last) return refused(`revision ${to} is the last one`);
  const { revision: _its, removes: _before, of: _older, ...rest } = known;
  return begun(content, { ...rest, at: now, by, because, of: to, ...(removes && { removes }) }, now);
}

/** An operator has the servers that could not take the revision, so many, try again, also after it was stopped. */
export function decideResume(content: ZoneContent | undefined, failed: number, now: EpochMs): Decided | RefusedOrder {
  const revision = content && revisionOf(content);
  if (!content || !revision) return refused('there is no revision yet');
  if (failed === 0 && content.spreading?.stopped === undefined) return refused(`revision ${revision.revision} has failed nowhere`);
  const because = `revision ${revision.revision} goes on, where it had failed as well`;
  return write({ ...content, spreading: { since: content.spreading?.since ?? now } }, because, { wakeAt: now });
}

/** How far the servers of a zone are with the revision: how many, and those that can be ordered to take it. */
export type Progress = {
  readonly reached: number;
  /** Those that could not take it, and why. */
  readonly failed: readonly { readonly fqdn: Fqdn; readonly why: string }[];
  /** How many have their order, and have not answered; and how many are not up, or keep changes of their own. */
  readonly open: number;
  readonly away: number;
  /** Those that are up and have no order yet, in the order of their ids. */
  readonly due: readonly NodeId[];
};

/** The servers that get their order now, and the decision about the content. */
export type Spread = { readonly tell: readonly NodeId[]; readonly decision: Decided };

/** The most servers that get their order at one look: each is a commit. */
const orderedAtOnce = 50;
/** The share of the servers that may fail before a revision is stopped. */
const failedShare = 0.1;
/** The share of the servers that the second wave has. */
const secondShare = 0.1;

/**
 * Lets a revision spread in waves: to one server, to a tenth of them, and then to all; each wave once the one before
 * has answered. It stops where more servers fail than may. Servers that come later get their order at once.
 */
export function decideSpread(content: ZoneContent, progress: Progress, now: EpochMs): Spread {
  const { spreading } = content;
  const revision = revisionOf(content);
  if (!revision || spreading?.stopped !== undefined) return { tell: [], decision: nothing('nothing spreads') };
  const { reached, failed, open, away, due } = progress;
  const total = reached + failed.length + open + due.length;
  if (!spreading)
    return {
      tell: due.slice(0, orderedAtOnce),
      decision: nothing('all have it, as far as they are up', plusMs(now, due.length > 0 ? lookMs(total) : restMs)),
    };
  if (failed.length > 0 && (reached <= 1 || failed.length > total * failedShare))
    return { tell: [], decision: stopped(content, revision, { since: spreading.since, failed, total }) };
  if (open > 0) return { tell: [], decision: nothing(`${serversOf(open)} at it`, plusMs(now, lookMs(total))) };
  // The first that comes back is the first wave.
  if (due.length === 0 && reached === 0 && away > 0)
    return { tell: [], decision: nothing('no server can take it now', plusMs(now, lookMs(away))) };
  if (due.length === 0) return { tell: [], decision: spread(content, revision, { reached, failed: failed.length }, now) };
  const tell = due.slice(0, Math.min(orderedAtOnce, waveOf(reached, total)));
  return { tell, decision: nothing(`the next wave is ${serversOf(tell.length)}`, plusMs(now, lookMs(total))) };
}

const serversOf = (n: number): string => `${n} ${n === 1 ? 'server' : 'servers'}`;

/** How many servers the next wave has, when so many have the revision: the one that it was read from has it at once. */
function waveOf(reached: number, total: number): number {
  const second = Math.ceil(total * secondShare);
  if (reached <= 1) return 1;
  return reached <= 1 + second ? second : total;
}

type Failed = { readonly since: EpochMs; readonly failed: Progress['failed']; readonly total: number };

function stopped(content: ZoneContent, { revision, node, fqdn }: Revision, { since, failed, total }: Failed): Decided {
  const [first] = failed;
  const stop = `${failed.length} of ${serversOf(total)} could not take it; ${first?.fqdn}: ${first?.why}`.slice(0, 400);
  const event: ContentEvent = { type: 'content.failed', version: 1, data: { zone: content.zone, revision, node, fqdn, why: stop } };
  return write({ ...content, spreading: { since, stopped: stop } }, `revision ${revision} was stopped: ${stop}`, {
    events: [event],
  });
}

function spread(
  content: ZoneContent,
  { revision, node, fqdn }: Revision,
  { reached, failed }: { readonly reached: number; readonly failed: number },
  now: EpochMs,
): Decided {
  const { spreading: _over, ...rest } = content;
  const event: ContentEvent = {
    type: 'content.applied',
    version: 1,
    data: { zone: content.zone, revision, node, fqdn, servers: reached, failed },
  };
  const because = `revision ${revision} is on ${serversOf(reached)}${failed > 0 ? `; ${failed} could not take it` : ''}`;
  return write(rest, because, { events: [event], wakeAt: plusMs(now, restMs) });
}
