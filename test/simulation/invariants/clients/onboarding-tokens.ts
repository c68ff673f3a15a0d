import type { Client } from '../../../../lib/clients/client.ts';
import type { OnboardingToken } from '../../../../lib/clients/onboarding-tokens/onboarding-token.ts';
import type { TokenShare } from '../../../../lib/clients/onboarding-tokens/rows/share.ts';
import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import { isSecret, parseSecret } from '../../../../lib/identity/secret-text.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';

type Knocked = { readonly publicKey: string; readonly token?: string };
/** A use that was counted: the token as it was then, by how many, and in which of its shares, if they count. */
type Counted = { readonly token: OnboardingToken; readonly by: number; readonly share?: TokenShare };

/** A call that has read a token before it was revoked, and whose share is not closed yet, ends within so long. */
const callMs = 30_000;

/** A token lies in images and scripts, and is found there. */
export const onboardingTokens: Invariant = {
  name: 'an-onboarding-token-accepts-as-many-as-it-may',
  says: 'nobody but an administrator or an onboarding token accepts a machine: one that the machine has shown with its secret, that was not revoked, used up or run out, is counted in the same commit, and says into which zone',
  begin: ({ violated }) => {
    /** Tokens that each key has shown. */
    const shown = new Map<string, Set<string>>();
    /** Tokens as they were committed last, and how many each has accepted in all. */
    const tokens = new Map<string, OnboardingToken>();
    const taken = new Map<string, number>();
    return {
      asked: ({ path, sent }) => {
        const { publicKey, token } = path === '/system/knock' ? (sent as Knocked) : ({} as Partial<Knocked>);
        if (publicKey === undefined || token === undefined) return;
        const fp = fingerprintOf(publicKey);
        shown.set(fp, (shown.get(fp) ?? new Set<string>()).add(token));
      },
      committed: (changes) => {
        const used = changes.flatMap((change) => countedIn(change, tokens));
        const accepted = changes.filter(isAcceptance);
        const byToken = accepted.filter(({ after }) => after.actor === undefined || after.actor.who.startsWith('client:'));
        for (const { token, by } of used) {
          if (by !== byToken.length) violated(`${token.id} was used for ${byToken.length} machines, and counts ${by} more`);
          const all = (taken.get(token.id) ?? 0) + by;
          taken.set(token.id, all);
          if (all > token.uses) violated(`${token.id} is for ${token.uses}, and has accepted ${all} in all its shares`);
        }
        for (const { after, at } of byToken) {
          const client = after.body as Client;
          const why = whyNot(client, used[0], shown.get(client.fp), at);
          if (why) violated(`${client.fp.slice(0, 8)} was accepted (${after.because}): ${why}`);
        }
      },
    };
  },
};

function countedIn({ before, after }: Committed, tokens: Map<string, OnboardingToken>): Counted[] {
  if (after.key.sk === 'onboarding-token') {
    const [was, is] = [before?.body as OnboardingToken | undefined, after.body as OnboardingToken];
    tokens.set(is.id, is);
    return was && is.used !== was.used ? [{ token: was, by: is.used - was.used }] : [];
  }
  const token = after.key.sk.startsWith('share#') ? tokens.get(after.key.pk.split('#')[1]!) : undefined;
  if (!token) return [];
  const is = after.body as TokenShare;
  const was = (before?.body as TokenShare | undefined) ?? { ...is, used: 0 };
  return is.used === was.used ? [] : [{ token, by: is.used - was.used, share: was }];
}

const isAcceptance = ({ before, after }: Committed): boolean =>
  after.key.sk === 'client' &&
  (after.body as Client).standing === 'accepted' &&
  (before?.body as Client | undefined)?.standing !== 'accepted' &&
  // Adopted systems, and their daemons, need none: see adoptions.ts.
  !after.events.some(({ type }) => type === 'client.adopted' || type === 'client.introduced');

function whyNot(client: Client, counted: Counted | undefined, texts = new Set<string>(), at: number): string | undefined {
  if (!counted) return 'no token was counted with it';
  const { id, hash, revokedAt, expiresAt, zone } = counted.token;
  const { uses, used } = counted.share ?? counted.token;
  const hasShown = [...texts].some((text) => {
    const parts = parseSecret(text, 'mot');
    return typeof parts !== 'string' && parts.id === id && isSecret(parts.secret, hash);
  });
  if (!hasShown) return `it has never shown the secret of ${id}`;
  if (counted.share?.closedAt !== undefined) return `${id} was revoked, and its share closed`;
  if (revokedAt !== undefined && (!counted.share || revokedAt + callMs < at)) return `${id} was revoked`;
  if (used >= uses) return `${id} is for ${uses}, and had accepted ${used}`;
  if (expiresAt + skewMs < at) return `${id} had run out ${at - expiresAt} ms before`;
  return client.standing === 'accepted' && client.zone === zone ? undefined : `${id} accepts into ${zone}`;
}
