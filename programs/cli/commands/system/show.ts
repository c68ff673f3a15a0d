import type { SameMachineIdKey, SystemView } from '../../../../lib/clients/admin-routes.ts';
import { contract } from '../../../../lib/contract.ts';
import { type ClusterId, ClusterIdText } from '../../../../lib/core/ids.ts';
import type { Cli, Verb } from '../../cli.ts';
import { fingerprint, fingerprintHelp, wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { dated } from '../../output/moments.ts';
import { painted, paintOf } from '../../output/paint.ts';
import { printable } from '../../output/printable.ts';

/** `system show`: shows everything that Muster knows about one client system. */
export const show: Verb = (noun, cli) => {
  const command = noun
    .command('show')
    .argument('<fingerprint>', `${fingerprintHelp.replace('fingerprints', 'its fingerprint')}; ten digits are its cluster id`, named)
    .description(
      'Show everything that Muster knows about a client system, by either of its fingerprints or its cluster id, and the reason for its state',
    )
    .action(async (given: Named) => {
      const fp = typeof given === 'number' ? String(given) : (await wholeFingerprints(cli, given))[0]!;
      const { body } = await cli.call(contract.getSystem, { params: { fp } });
      cli.show(body, () => page(body, cli));
    });
  examples(
    command,
    cli.terminal.name,
    ['system show 1f2e3d4c', 'by the beginning of its fingerprint'],
    ['system show 1F:2E:3D:… --json', 'by its whole fingerprint'],
    ['system show 1500000017', 'by its cluster id'],
  );
};

/** A client system as it was named: by its cluster id, or otherwise. */
type Named = ClusterId | readonly string[];

/**
 * Ten digits are a cluster id: servers count from 1,000,010,000, and Muster further on. A fingerprint that begins with
 * ten digits is named by more of it, or with colons.
 */
function named(text: string): Named {
  const id = /^[0-9]{10}$/.test(text) ? ClusterIdText.safeParse(text).data : undefined;
  return id ?? fingerprint(text);
}

function page(view: SystemView, cli: Cli): string {
  const now = cli.terminal.now();
  const { node, minion } = view;
  const silent =
    view.silentSince === undefined ? '' : `, ${painted('silent', 'bad', cli.terminal.colours.out)} since ${dated(view.silentSince, now)}`;
  return `${printable(view.fqdn)} is ${painted(view.status, paintOf(view.status), cli.terminal.colours.out)}${silent}\n${cli.details({
    because: view.because,
    fingerprint: view.fingerprint,
    'cluster id': view.clusterId === undefined ? undefined : String(view.clusterId),
    zone: view.zone,
    node: node && `${node.fqdn ?? node.id}, assigned ${dated(node.at, now)}, ${node.confirmed ? 'confirmed' : 'not confirmed yet'}`,
    accepted:
      view.accepted && `${dated(view.accepted.at, now)}${view.accepted.by === undefined ? '' : ` by ${printable(view.accepted.by)}`}`,
    page: view.page,
    pinned: view.pin && pinned(view.pin),
    tags: view.tags.join(', '),
    groups: view.groups.join(', '),
    suggests: view.suggestedTags.join(', '),
    'machine id': view.machineId,
    copied:
      view.copied &&
      `since ${dated(view.copied.since, now)}: ${view.copied.because}; they last took turns ${dated(view.copied.lastAt, now)}`,
    ...shared('same id', 'key', view.sameMachineId, now),
    ...shared('same name', 'namesake', view.sameName, now),
    signs: view.unsigned ? 'never: no machine has proved that it holds this key' : undefined,
    minion: minion && `${minion.id}, ${minion.fingerprint}`,
    '  of Salt 3008': minion?.ofText,
    facts: Object.entries(view.facts)
      .map(([name, value]) => `${name}=${value}`)
      .join(', '),
    'first seen': dated(view.firstSeenAt, now),
    seen: dated(view.seenAt, now),
  })}`;
}

/** The node of a pin, its state, and the effect on the client system. */
function pinned({ fqdn, hard, standing }: NonNullable<SystemView['pin']>): string {
  const how = hard ? 'waits for this node only' : 'lives elsewhere while it is away';
  return `to ${fqdn ?? 'a node that is gone'}, which is ${standing}: ${how}`;
}

/** The other keys with the same machine id, or the same name; `one`: what each is called, unlike those of the other. */
const shared = (title: string, one: string, of: SystemView['sameName'], now: number): Record<string, string | undefined> => ({
  [title]: of?.because,
  ...Object.fromEntries((of?.keys ?? []).map((key, n) => [`  ${one} ${n + 1}`, sharing(key, now)])),
});

/** Another key with the same machine id or name. */
const sharing = ({ fingerprint, first, fqdn, status, zone, seenAt }: SameMachineIdKey, now: number): string =>
  `${fingerprint}, came ${first ? 'first' : 'later'}: ${printable(fqdn)}, ${status}${zone === undefined ? '' : ` in zone ${zone}`}, seen ${dated(seenAt, now)}`;
