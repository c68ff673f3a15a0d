import { type Concluded, type Decision, nothing, write } from '../core/decision.ts';
import { plusMs, unreachable } from '../core/time.ts';
import { type Client, type ClientIn, pooledForMs } from './client.ts';
import { type Boot, type BootNews, bootNews, copiedBecause } from './rows/boots.ts';

type Known = ClientIn<'pooled' | 'accepted'>;

/**
 * The row of a client system whose daemon speaks, as far as that concerns this row alone: the boots that it has. That
 * two machines run with its key concerns its node too, and is decided with that.
 */
export function withBoot(client: Known, boot: Boot | undefined): Known {
  const news = boot && bootNews(client, boot);
  if (!news || isOfNode(client, news)) return client;
  if (news.is === 'alone') return settled({ ...client, boots: news.boots });
  return { ...client, boots: news.boots, ...(news.is !== 'noted' && { copied: news.copied }) };
}

/** The events of a row that two machines are found to share since it was `before`, or no longer share. */
export function bootEvents(before: Client, after: Client): Concluded[] {
  if (before.standing === 'banned' || after.standing === 'banned' || (before.copied === undefined) === (after.copied === undefined))
    return [];
  return after.copied ? copiedEvents(after) : settledEvents(after, 'time');
}

/** Whether news about its boots change more than the row of a client system: whether it stays on its node. */
const isOfNode = ({ standing }: Known, { is }: BootNews): boolean => standing === 'accepted' && (is === 'copied' || is === 'alone');

/** Whether a boot that speaks changes more than the row of a client system. */
export function bootConcernsNode(client: Client, boot: Boot): boolean {
  if (client.standing !== 'accepted') return false;
  const news = bootNews(client, boot);
  return news !== undefined && isOfNode(client, news);
}

/** The daemon of an accepted client system speaks: its boots, and whether two machines run with its key. */
export function onBoot(client: ClientIn<'accepted'>, boot: Boot): Decision<Client> {
  const news = bootNews(client, boot);
  if (!news) return nothing('its boot is known');
  switch (news.is) {
    case 'noted':
      return write<Client, never>({ ...client, boots: news.boots }, `boot ${boot.id} of its daemon spoke`);
    case 'turn':
      return write<Client, never>({ ...client, boots: news.boots, copied: news.copied }, copiedBecause(news.copied));
    case 'copied':
      return copied(client, news);
    case 'alone':
      return onSettle({ ...client, boots: news.boots }, 'time');
    default:
      return unreachable(news);
  }
}

/**
 * Two machines run with its key. It stays where it is, because a client system that works must not stop: it is pinned
 * softly to its node, and goes nowhere else.
 */
function copied(client: ClientIn<'accepted'>, { boots, copied }: Extract<BootNews, { is: 'copied' }>): Decision<Client> {
  const { told, pin } = client;
  const next: Known = {
    ...client,
    boots,
    copied: { ...copied, ...(pin && { pin }) },
    ...(told && { pin: { index: told.index, hard: false } }),
  };
  return write<Client, Concluded>(next, copiedBecause(copied), { events: copiedEvents(next) });
}

function copiedEvents({ fp: system, fqdn, zone, copied }: Known): Concluded[] {
  if (!copied) return [];
  return [{ type: 'client.copied', version: 1, data: { system, fqdn, ...(zone && { zone }), boots: copied.boots } }];
}

const settledEvents = ({ fp: system, fqdn, zone }: Known, by: 'operator' | 'time'): Concluded[] => [
  { type: 'client.settled', version: 1, data: { system, fqdn, ...(zone && { zone }), by } },
];

/** The reason when a client system is not held for two machines. The order counts as done. */
export const settledAlready = 'it is not held for two machines';

/**
 * An operator has seen to it that one machine runs with the key, or one alone has spoken for long. The boots before are
 * forgotten, and the next one that speaks is the only one. It goes by its slot again, or by the pin that it had.
 */
export function onSettle(client: Known, by: 'operator' | 'time'): Decision<Client> {
  if (!client.copied) return nothing(settledAlready);
  const next = settled(by === 'operator' ? withoutBoots(client) : client);
  const expires = client.standing === 'pooled' ? { expiresAt: plusMs(client.seenAt, pooledForMs) } : {};
  return write<Client, Concluded>(next, settledBecause[by], { events: settledEvents(client, by), ...expires });
}

const settledBecause = {
  operator: 'settled by an operator: the next boot that speaks is the only one',
  time: 'one boot alone has spoken for a week: it is held no longer',
} as const;

function withoutBoots({ boots: _forgotten, ...client }: Known): Known {
  return client;
}

/** A client system that is held no longer; pinned where it was before, if anywhere. */
function settled({ copied, ...client }: Known): Known {
  if (client.standing === 'pooled') return client;
  const { pin: _held, ...free } = client;
  return { ...free, ...(copied?.pin && { pin: copied.pin }) };
}

/** Why a client system that is held for two machines cannot be ordered elsewhere, in words for people. */
export const settleFirst = 'two machines run with its key: settle that first (system settle)';
