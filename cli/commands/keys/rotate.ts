import { contract } from '../../../lib/api/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';

/** `keys rotate`: a new key signs membership tokens from now on. */
export const rotate: Verb = (noun, cli) => {
  const command = noun
    .command('rotate')
    .description(
      'Sign membership tokens with a new key. Tokens of the key before hold until they are renewed; those of an older one hold no more, ' +
        'which is why a second rotation within 7 days is refused without --force. Asks first, unless --yes',
    )
    .option('--force', 'also while tokens of the key that is retired are in use: their client systems knock again, all at once')
    .action(async ({ force = false }: { force?: boolean }) => {
      await cli.confirm(`Sign with a new key?${force ? ' Client systems with a token of the key before the last must knock again.' : ''}`);
      const { body } = await cli.call(contract.rotateTokenKeys, { body: { force } });
      cli.show(body, () => `${body.because}\n`);
    });
  examples(
    command,
    cli.terminal.name,
    ['keys rotate'],
    ['keys rotate --force --yes', 'twice, when a key may have been seen by somebody: no token of before holds then'],
  );
};
