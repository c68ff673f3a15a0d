import { showing } from '../../../lib/api/bearer.ts';
import { Unreachable } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { type Cli, callAt, type Verb } from '../cli.ts';
import { wantPrivate } from '../endpoint.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { dated } from '../output/moments.ts';
import { type SignedIn, tokenStore } from '../sign-in/tokens.ts';

/** `logout`: end the sign-in at a deployment, and forget it. */
export const logout: Verb = (program, cli) => {
  const command = program
    .command('logout')
    .description('Sign out: end the session at the deployment, forget it on this machine, and tell the provider that it is over')
    .action(async () => {
      const store = tokenStore(cli.terminal);
      let before: SignedIn | undefined;
      let stays: string | undefined;
      await store?.change(cli.endpoint(), async (signedIn) => {
        before = signedIn;
        stays = signedIn && (await whyNotEnded(cli, signedIn));
        return undefined;
      });
      if (!before) return cli.say(`nobody was signed in at ${cli.endpoint()}`);
      cli.say(`signed out of ${cli.endpoint()}`);
      if (stays !== undefined) cli.say(stays);
      await tellIssuer(before, cli.say);
    });
  examples(command, cli.terminal.name, ['logout'], ['logout --endpoint https://muster.example.org']);
};

/**
 * Ends a session of Muster at its deployment. In words what stays there when that cannot be told; this machine forgets
 * it in any case. An issuer's token is none of ours to end.
 */
async function whyNotEnded(cli: Cli, { token, expiresAt }: SignedIn): Promise<string | undefined> {
  const now = cli.terminal.now();
  if (!token.startsWith('mst_') || expiresAt <= now) return undefined;
  try {
    wantPrivate(cli.endpoint(), cli.insecure());
    const bearer = showing(() => token);
    await callAt(cli.endpoint(), contract.signOut, {}, bearer);
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure || error instanceof Unreachable)) throw error;
    // It was revoked before.
    if (error instanceof Failure && error.exitCode === exitCodes.notAllowed) return undefined;
    return `the deployment could not be told, and the session there ends by itself, ${dated(new Date(expiresAt).toISOString(), now)}: ${error.message}`;
  }
}

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
