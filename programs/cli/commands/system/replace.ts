import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { fingerprint, fingerprintHelp, wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';

/** `system replace`: a machine that was installed anew takes the place of its former key. */
export const replace: Verb = (noun, cli) => {
  const one = (text: string): string[] => fingerprint(text);
  const command = noun
    .command('replace')
    .argument('<old>', fingerprintHelp.replace('fingerprints', 'the fingerprint of the accepted key'), one)
    .argument('<new>', 'the fingerprint of the key that waits in the onboarding pool, or its beginning', one)
    .description(
      'Have a key from the onboarding pool take the place of an accepted one, for a machine that was reinstalled: its zone, tags, groups, pin and metadata. The old key is banned, forever. Asks first, unless --yes',
    )
    .action(async (old: readonly string[], by: readonly string[]) => {
      const [before, after] = await wholeFingerprints(cli, [...old, ...by]);
      if (before === undefined || after === undefined)
        throw new Failure(exitCodes.usage, 'both are the same key', 'See which keys a name has: system find NAME');
      const [was, is] = await Promise.all([before, after].map((fp) => cli.call(contract.getSystem, { params: { fp } })));
      await cli.confirm(
        `Replace ${was!.body.fqdn} (${before.slice(0, 16)}) with ${is!.body.fqdn} (${after.slice(0, 16)})? The old key is banned forever.`,
      );
      const { body } = await cli.call(contract.replaceSystem, { params: { fp: before }, body: { by: after } });
      cli.show(body, () => body.because);
    });
  examples(
    command,
    cli.terminal.name,
    ['system replace 9a8b7c6d 1f2e3d4c', 'the key that the machine had, and the one that it has now'],
    ['system replace 9a8b7c6d 1f2e3d4c --yes', 'in a script'],
  );
};
