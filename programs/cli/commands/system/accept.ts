import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { tags, zoneOption } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { fingerprint, fingerprintHelp, pooledFingerprints, wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onEach } from './each.ts';

type Options = { all?: true; duplicates?: true; zone?: NodeView['zone']; tag?: string[]; group?: string[] };

/** The advice for an accepted key whose machine id another key reported first. */
const besideAnother = (fp: string): string =>
  `${fp.slice(0, 16)} reports the machine id of another key, see: system show ${fp.slice(0, 16)}. If the machine was reinstalled, ban its old key`;

/** `system accept`: lets keys from the onboarding pool in. */
export const accept: Verb = (noun, cli) => {
  const command = noun
    .command('accept')
    .argument('[fingerprint...]', fingerprintHelp, fingerprint)
    .description('Accept keys from the onboarding pool into a zone. First compare each fingerprint with the one that its machine shows')
    .option('--all', 'every key in the pool now')
    .option('--duplicates', 'also keys whose machine id another key reported first; not needed for a key that is named alone')
    .addOption(zoneOption('the zone they join; if not given, the one that each asks for, else `default`'))
    .option('--tag <tag>', 'a tag to give them; may be repeated', tags)
    .option('--group <group>', 'a group to put them into; may be repeated', tags)
    .action(async (given: readonly string[], { all, duplicates, zone, tag, group }: Options) => {
      if ((all === true) === given.length > 0)
        throw new Failure(exitCodes.usage, 'the command needs either fingerprints or --all', 'List the keys that wait: onboarding list');
      const systems = all ? await pooledFingerprints(cli) : await wholeFingerprints(cli, given);
      const labels = { ...(zone && { zone }), ...(tag && { tags: tag }), ...(group && { groups: group }) };
      const results = await onEach(cli, systems, 'accepted', async (some, earlier) => {
        const body = { systems: some, ...(earlier > 0 && { earlier }), ...labels };
        const reply = await cli.call(contract.accept, { body: { ...body, ...(duplicates && { duplicates }) } });
        const isHeld = reply.body.results.some(({ duplicate, done }) => duplicate && !done);
        // A person who names a single key has looked at it.
        return isHeld && given.length === 1 ? cli.call(contract.accept, { body: { ...body, duplicates: true } }) : reply;
      });
      for (const { fp } of results.filter(({ duplicate }) => duplicate)) cli.say(besideAnother(fp));
    });
  examples(
    command,
    cli.terminal.name,
    ['system accept 1f2e3d4c 9a8b7c6d --tag web --group dmz'],
    ['system accept --all --zone emea', 'if you trust the network itself'],
  );
};
