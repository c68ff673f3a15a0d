import type { Verb } from '../cli.ts';
import { Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { type SignedIn, tokenStore } from '../sign-in/tokens.ts';

/** `logout`: forget the sign-in at a deployment. */
export const logout: Verb = (program, cli) => {
  const command = program
    .command('logout')
    .description('Sign out: forget the sign-in at the deployment on this machine, and tell the provider that it is over')
    .action(async () => {
      const store = tokenStore(cli.terminal);
      let before: SignedIn | undefined;
      await store?.change(cli.endpoint(), async (signedIn) => {
        before = signedIn;
        return undefined;
      });
      if (!before) return cli.say(`nobody was signed in at ${cli.endpoint()}`);
      cli.say(`signed out of ${cli.endpoint()}`);
      await tellIssuer(before, cli.say);
    });
  examples(command, cli.terminal.name, ['logout'], ['logout --endpoint https://muster.example.org']);
};

/** What this machine has forgotten is gone in any case; an issuer that is not told lets its part run out by itself. */
async function tellIssuer({ renewal }: SignedIn, say: (text: string) => void): Promise<void> {
  if (!renewal) return;
  const { revoked } = await import('../sign-in/oidc.ts');
  const isTold = await revoked(renewal).catch((error: unknown) => {
    if (error instanceof Failure) return false;
    throw error;
  });
  if (!isTold) say(`${renewal.issuer} could not be told; its sign-in there ends by itself`);
}
