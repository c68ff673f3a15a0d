import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { tags, zoneOption } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { pooledFingerprints, wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onQuery, onSystems } from './by-query.ts';
import { onEach, type Results } from './each.ts';

type Options = { all?: true; query?: string; duplicates?: true; zone?: NodeView['zone']; tag?: string[]; group?: string[] };

/** The advice for an accepted key that was held. */
const besideAnother = (fp: string): string =>
  `${fp.slice(0, 16)} was held for the machine id or the name of another key, see: system show ${fp.slice(0, 16)}. If the machine was reinstalled, ban its old key; system replace would have put this one in its place`;

/** `system accept`: lets keys from the onboarding pool in. */
export const accept: Verb = (noun, cli) => {
  const command = onSystems(noun.command('accept'))
    .description('Accept keys from the onboarding pool into a zone. First compare each fingerprint with the one that its machine shows')
    .option('--all', 'every key in the pool now')
    .option('--duplicates', 'also keys whose machine id or name another key reported first; not needed for a key that is named alone')
    .addOption(zoneOption('the zone they join; if not given, the one that each asks for, else `default`'))
    .option('--tag <tag>', 'a tag to give them; may be repeated', tags)
    .option('--group <group>', 'a group to put them into; may be repeated', tags)
    .action(async (given: readonly string[], { all, query, duplicates, zone, tag, group }: Options) => {
      if ([all === true, query !== undefined, given.length > 0].filter(Boolean).length !== 1)
        throw new Failure(
          exitCodes.usage,
          'the command needs fingerprints, --query or --all, and one of these alone',
          'List the keys that wait: onboarding list',
        );
      const labels = {
        ...(zone && { zone }),
        ...(tag && { tags: tag }),
        ...(group && { groups: group }),
        ...(duplicates && { duplicates }),
      };
      const results =
        query === undefined
          ? await onKeys(cli, all ? undefined : given, labels)
          : await onQuery(cli, query, { done: 'accepted', does: 'Accept' }, (some) =>
              cli.call(contract.accept, { body: { ...some, ...labels } }),
            );
      for (const { fp } of results.filter(({ duplicate }) => duplicate)) cli.say(besideAnother(fp));
    });
  examples(
    command,
    cli.terminal.name,
    ['system accept 1f2e3d4c 9a8b7c6d --tag web --group dmz'],
    ["system accept --query 'status:new ip:10.2.0.0/16' --zone emea"],
    ['system accept --all --zone emea', 'if you trust the network itself'],
  );
};

/** Accepts the keys that are named; if none are, every key in the pool. */
async function onKeys(cli: Cli, named: readonly string[] | undefined, more: object): Promise<Results> {
  const systems = named ? await wholeFingerprints(cli, named) : await pooledFingerprints(cli);
  return onEach(cli, systems, 'accepted', async (some, earlier) => {
    const body = { systems: some, ...(earlier > 0 && { earlier }), ...more };
    const reply = await cli.call(contract.accept, { body });
    const isHeld = reply.body.results.some(({ duplicate, done }) => duplicate && !done);
    // A person who names a single key has looked at it.
    return isHeld && named?.length === 1 ? cli.call(contract.accept, { body: { ...body, duplicates: true } }) : reply;
  });
}
