import { contract } from '../../../lib/api/contract.ts';
import type { NodeView } from '../../../lib/api/views.ts';
import { tags, zoneOption } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { fingerprint, fingerprintHelp, pooledFingerprints, wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onEach } from './each.ts';

type Options = { all?: true; zone?: NodeView['zone']; tag?: string[]; group?: string[] };

/** `system accept`: let keys from the onboarding pool in. */
export const accept: Verb = (noun, cli) => {
  const command = noun
    .command('accept')
    .argument('[fingerprint...]', fingerprintHelp, fingerprint)
    .description('Accept keys from the onboarding pool into a zone. Compare each fingerprint with the one its machine shows, first')
    .option('--all', 'every key that is in the pool now')
    .addOption(zoneOption('the zone they will belong to; without it the zone `default`'))
    .option('--tag <tag>', 'give them a tag; may be repeated', tags)
    .option('--group <group>', 'put them into a group; may be repeated', tags)
    .action(async (given: readonly string[], { all, zone, tag, group }: Options) => {
      if ((all === true) === given.length > 0)
        throw new Failure(exitCodes.usage, 'either fingerprints or --all is wanted', 'See who waits: onboarding list');
      const systems = all ? await pooledFingerprints(cli) : await wholeFingerprints(cli, given);
      const body = { ...(zone && { zone }), ...(tag && { tags: tag }), ...(group && { groups: group }) };
      await onEach(cli, systems, 'accepted', (some, earlier) =>
        cli.call(contract.accept, { body: { systems: some, ...(earlier > 0 && { earlier }), ...body } }),
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['system accept 1f2e3d4c 9a8b7c6d --tag web --group dmz'],
    ['system accept --all --zone emea', 'where the network itself is trusted'],
  );
};
