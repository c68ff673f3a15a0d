import * as z from 'zod';
import { Unreachable } from '../../../../lib/api/client.ts';
import type { BodyInputOf, ReplyOf } from '../../../../lib/api/route.ts';
import { contract } from '../../../../lib/contract.ts';
import { secondMs } from '../../../../lib/core/time.ts';
import { as } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';

const keyId = as(z.coerce.number().int().positive(), 'the id of a key, as `keys list` shows it');

type Options = { readonly force?: boolean; readonly replaces?: number; readonly audit?: boolean };
type Order = BodyInputOf<typeof contract.rotateTokenKeys> & { readonly replaces: number };

/** `keys rotate`: makes a new key that signs membership tokens from now on. */
export const rotate: Verb = (noun, cli) => {
  const command = noun
    .command('rotate')
    .description(
      'Sign membership tokens with a new key. Tokens of the previous key stay valid until they are renewed; tokens of an older key become invalid, ' +
        'so a second rotation within 7 days is refused without --force. Asks first, unless --yes',
    )
    .option('--force', 'also while tokens of the retired key are in use; their client systems all knock again at once')
    .option('--replaces <key>', 'replace only this key, so that the command may be repeated (default: the key that signs now)', keyId)
    .option('--audit', 'replace the key that seals the audit instead; everything that it has sealed still verifies')
    .action(async ({ force = false, replaces, audit = false }: Options) => {
      const of = audit ? 'audit' : 'tokens';
      const order = { force, replaces: replaces ?? (await signing(cli, of)), ...(audit && { of: 'audit' as const }) };
      const warning = force ? ' Client systems with a token of the key before the last one must knock again.' : '';
      await cli.confirm(`Sign with a new key in place of key ${order.replaces}?${warning}`);
      const body = await rotated(cli, order);
      cli.show(body, () => `${body.because}\n`);
    });
  examples(
    command,
    cli.terminal.name,
    ['keys rotate'],
    ['keys rotate --force --yes', 'twice, if a key may have leaked: then no earlier token is valid'],
    ['keys rotate --force --yes --replaces 3', 'again, if the answer was lost: does nothing if key 3 was replaced'],
  );
};

/** The id of the key that signs now. */
const signing = async (cli: Cli, of: 'tokens' | 'audit'): Promise<number> =>
  (await cli.call(contract.listTokenKeys, { query: { of } })).body.items[0]!.id;

/** How often a lost answer is asked for, and the pause before each new attempt. */
const triesMax = 3;
const pauseMs = secondMs;

/**
 * Repeats the same order if its answer was lost, which replaces no second key. Throws a {@link Failure} that explains
 * this if no answer comes.
 */
async function rotated(cli: Cli, order: Order, tries = 1): Promise<ReplyOf<typeof contract.rotateTokenKeys>> {
  try {
    return (await cli.call(contract.rotateTokenKeys, { body: order })).body;
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    if (tries >= triesMax)
      throw new Failure(
        exitCodes.unreachable,
        `${error.message}: key ${order.replaces} may have been replaced or not`,
        `Repeat the command with --replaces ${order.replaces}, which replaces no other key`,
      );
    await cli.terminal.sleep(pauseMs);
    return rotated(cli, order, tries + 1);
  }
}
