import { type Decision, isSame, nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs, unreachable } from '../../core/time.ts';
import type { AskingHost, HostCommand, RulesCommand } from './command.ts';
import { domainFault } from './own-name.ts';
import { foreignWatch, isAdmittedAs, isForeignWatch, needsAnyWatch } from './rows/own-watch.ts';
import { type PooledHost, pooledForMs, seenEveryMs } from './rows/pooled-host.ts';
import { type AdmissionRules, rulesMax } from './rows/rules.ts';

/** Decides what a request to join, or an operator's order, means for a host that is not a node. */
export function decideHost(host: PooledHost | undefined, command: HostCommand, now: EpochMs): Decision<PooledHost> {
  if (command.type === 'ask') return onAsk(host, command.host, now);
  if (!host) return nothing('no such host waits');
  switch (command.type) {
    case 'admit':
      return onAdmit(host, command, now);
    case 'reject': {
      if (host.standing === 'rejected') return nothing('it is rejected already');
      return stored({ ...asAsked(host), standing: 'rejected', rejectedAt: now }, 'rejected by an operator');
    }
    case 'joined':
      return { does: 'remove', last: host, events: [], because: 'it is a node now' };
    default:
      return unreachable(command);
  }
}

/**
 * The host waits, with its present data. An operator's decision holds for the name and the watch address that the
 * operator saw: with others the host waits anew.
 */
function onAsk(before: PooledHost | undefined, asking: AskingHost, now: EpochMs): Decision<PooledHost> {
  const data = dataOf(asking);
  if (!before)
    return stored(
      { ...data, standing: 'waiting', firstSeenAt: now, seenAt: now },
      `it asks to be a node and is not admitted yet${isForeignWatch(asking) ? `, and ${asking.watch} is not its own address` : ''}`,
    );
  if (before.standing === 'rejected') return seen(before, now);
  if (before.standing === 'admitted' && isAdmittedAs(before, asking)) return nothing('admitted; its next join makes it a node');
  const isSame = before.standing === 'waiting' && JSON.stringify(dataOf(before)) === JSON.stringify(data);
  if (isSame) return seen(before, now);
  return stored({ ...data, standing: 'waiting', firstSeenAt: before.firstSeenAt, seenAt: now }, 'its data differs from its last request');
}

function seen(host: PooledHost, now: EpochMs): Decision<PooledHost> {
  return now - host.seenAt < seenEveryMs ? nothing('seen within the hour') : stored({ ...host, seenAt: now }, 'it still asks to be a node');
}

function onAdmit(
  host: PooledHost,
  { zone, kind = host.kind, replaces, anyWatch }: Extract<HostCommand, { type: 'admit' }>,
  now: EpochMs,
): Decision<PooledHost> {
  const unfit = domainFault({ fqdn: host.fqdn, kind });
  if (unfit !== undefined) return nothing(unfit);
  if (needsAnyWatch(host) && !anyWatch) return nothing(foreignWatch(host));
  const isForeign = isForeignWatch(host);
  const as = { zone, kind, ...(replaces !== undefined && { replaces }), ...(isForeign && { anyWatch: true as const }) };
  if (host.standing === 'admitted' && isSame(host.as, as)) return nothing('it is admitted already');
  const aim = replaces === undefined ? '' : `, in place of node ${replaces}`;
  const watched = isForeign ? `, to be watched at ${host.watch}` : '';
  return stored(
    { ...asAsked(host), standing: 'admitted', as, admittedAt: now },
    `admitted into zone ${zone} by an operator${aim}${watched}`,
  );
}

const dataOf = ({ fp, publicKey, fqdn, kind, zone, watch, capacity, source }: AskingHost) =>
  ({
    fp,
    publicKey,
    fqdn,
    kind,
    watch,
    source,
    ...(zone !== undefined && { zone }),
    ...(capacity !== undefined && { capacity }),
  }) as Pick<PooledHost, 'fp' | 'publicKey' | 'fqdn' | 'kind' | 'zone' | 'watch' | 'capacity' | 'source'>;

const asAsked = (host: PooledHost) => ({ ...dataOf(host), firstSeenAt: host.firstSeenAt, seenAt: host.seenAt });

const stored = (next: PooledHost, because: string): Decision<PooledHost> =>
  write<PooledHost, never>(next, because, { expiresAt: plusMs(next.seenAt, pooledForMs) });

/** Decides what an operator's order, or a host that a rule admitted, means for the rules. */
export function decideRules(row: AdmissionRules | undefined, command: RulesCommand): Decision<AdmissionRules> {
  const rules = row?.rules ?? [];
  const named = rules.find(({ name }) => name === (command.type === 'add' ? command.rule.name : command.name));
  switch (command.type) {
    case 'add':
      if (!named && rules.length >= rulesMax) return nothing(`there are ${rulesMax} rules already`);
      return changed(
        [...rules.filter((rule) => rule !== named), command.rule],
        `rule ${command.rule.name} ${named ? 'replaced' : 'added'}${command.rule.anyWatch ? '; its hosts may be watched anywhere' : ''}`,
      );
    case 'delete':
      return named
        ? changed(
            rules.filter((rule) => rule !== named),
            `rule ${command.name} deleted`,
          )
        : nothing('there is no such rule');
    case 'use':
      // A rule without a count is only read: the hosts that it admits do not contend for its row.
      if (named?.left === undefined) return nothing(`rule ${command.name} admits any number`);
      return changed(
        rules.map((rule) => (rule === named ? { ...rule, left: Math.max(0, named.left! - 1) } : rule)),
        `rule ${command.name} admitted ${command.fqdn}`,
      );
    default:
      return unreachable(command);
  }
}

const changed = (rules: AdmissionRules['rules'], because: string): Decision<AdmissionRules> =>
  write<AdmissionRules, never>({ rules }, because);
