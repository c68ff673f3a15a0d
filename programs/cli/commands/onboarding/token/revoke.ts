import type { OnboardingTokenView } from '../../../../../lib/clients/onboarding-tokens/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import { as } from '../../../arguments.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';

const tokenId = as(contract.revokeOnboardingToken.params!.shape.id, 'the id of a token: 12 lower-case letters and digits');

/** `onboarding token revoke`: ends an onboarding token. */
export const revoke: Verb = (noun, cli) => {
  const command = noun
    .command('revoke')
    .argument('<token>', 'its id, as `onboarding token list` shows it', tokenId)
    .description('Revoke an onboarding token: it stops accepting machines. Those that it accepted stay accepted')
    .action(async (id: OnboardingTokenView['id']) => {
      const { body } = await cli.call(contract.revokeOnboardingToken, { params: { id }, body: {} });
      cli.show(body, () => `token ${body.id} is ${body.status}; it accepted ${body.used} of ${body.uses}\n`);
    });
  examples(command, cli.terminal.name, ['onboarding token revoke 4q7xk2m9w0ab']);
};
