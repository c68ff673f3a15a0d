import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { tags, zoneOption } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { fingerprint, fingerprintHelp, pooledFingerprints, wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onEach } from './each.ts';

type Options = { all?: true; duplicates?: true; zone?: NodeView['zone']; tag?: string[]; group?: string[] };

/** What to do about the other key of one that was accepted although that one came first. */
const besideAnother = (fp: string): string =>
  `${fp.slice(0, 16)} says the machine id of another key, see: system show ${fp.slice(0, 16)}. If the machine was installed anew, ban its old key`;

/** `system accept`: let keys from the onboarding pool in. */
export const accept: Verb = (noun, cli) => {
  const command = noun
    .command('accept')
    .argument('[fingerprint...]', fingerprintHelp, fingerprint)
    .description('Accept keys from the onboarding pool into a zone. Compare each fingerprint with the one its machine shows, first')
    .option('--all', 'every key that is in the pool now')
    .option('--duplicates', 'also those of whose machine id another key came first; not needed for one that is named alone')
    .addOption(zoneOption('the zone they will belong to; without it the one that each asks for, or else `default`'))
    .option('--tag <tag>', 'give them a tag; may be repeated', tags)
    .option('--group <group>', 'put them into a group; may be repeated', tags)
    .action(async (given: readonly string[], { all, duplicates, zone, tag, group }: Options) => {
      if ((all === true) === given.length > 0)
        throw new Failure(exitCodes.usage, 'either fingerprints or --all is wanted', 'See who waits: onboarding list');
      const systems = all ? await pooledFingerprints(cli) : await wholeFingerprints(cli, given);
      const labels = { ...(zone && { zone }), ...(tag && { tags: tag }), ...(group && { groups: group }) };
      const results = await onEach(cli, systems, 'accepted', async (some, earlier) => {
        const body = { systems: some, ...(earlier > 0 && { earlier }), ...labels };
        const reply = await cli.call(contract.accept, { body: { ...body, ...(duplicates && { duplicates }) } });
        const isHeld = reply.body.results.some(({ duplicate, done }) => duplicate && !done);
        // Whoever names one key alone has looked at it.
        return isHeld && given.length === 1 ? cli.call(contract.accept, { body: { ...body, duplicates: true } }) : reply;
      });
      for (const { fp } of results.filter(({ duplicate }) => duplicate)) cli.say(besideAnother(fp));
    });
  examples(
    command,
    cli.terminal.name,
    ['system accept 1f2e3d4c 9a8b7c6d --tag web --group dmz'],
    ['system accept --all --zone emea', 'where the network itself is trusted'],
  );
};
