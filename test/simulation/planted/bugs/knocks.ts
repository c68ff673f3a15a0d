import { type Bug, patch } from '../bug.ts';

const keys = 'a-knock-speaks-for-its-own-keys';
const tokens = 'an-onboarding-token-accepts-as-many-as-it-may';
const neighbours = 'a-caller-is-never-refused-for-its-neighbours';
const machineIds = 'a-machine-id-that-comes-twice-waits-for-a-word';

/** Mistakes in what a knock has to show, and in what a token is worth. */
export const knockBugs: readonly Bug[] = [
  {
    name: 'a-name-is-a-signature',
    breaks: keys,
    why: 'that the call names the key is taken for a signature of the key',
    foundIn: { world: 'masked', seed: 1 },
    patches: [patch('if (claim.keyId !== keyId || !isSignedBy(claim, key)) throw', 'if (claim.keyId !== keyId) throw')],
  },
  {
    name: 'a-minion-is-believed',
    breaks: keys,
    why: "the proof of the minion's key is left to the daemon",
    foundIn: { world: 'masked', seed: 1 },
    patches: [patch('const fault = minion && faultOfProof(minion, fp);', 'const fault = minion && undefined;')],
  },
  {
    name: 'a-proof-is-for-everybody',
    breaks: keys,
    why: 'the minion signs that it is there, and not beside whom',
    foundIn: { world: 'masked', seed: 1 },
    patches: [patch('=> `muster-minion:', '=> `muster-minion:` || `')],
  },
  {
    name: 'a-ban-is-of-one-key',
    breaks: keys,
    why: 'who was banned makes another key for the daemon',
    foundIn: { world: 'masked', seed: 4 },
    patches: [
      patch("if (beside?.standing === 'banned' && !(found && isSigned)) return deleted(undefined, shell);", ''),
      patch("if (other?.standing === 'banned') return { changes: [], banned: other };", ''),
    ],
  },
  {
    name: 'a-token-is-not-counted',
    breaks: tokens,
    why: 'the token is read and judged, and its row stays as it was',
    foundIn: { world: 'tokens', seed: 3 },
    patches: [patch('changes: [count, ...entry.changes],', 'changes: [...entry.changes],')],
  },
  {
    name: 'one-more-than-it-may',
    breaks: tokens,
    why: 'the machine that comes after the last one still finds the token good',
    foundIn: { world: 'tokens', seed: 19 },
    patches: [patch('if (used >= uses)', 'if (used > uses)')],
  },
  {
    name: 'a-share-for-each-as-many-as-the-token',
    breaks: tokens,
    why: 'the uses of a token are not divided among its shares: each accepts as many as all together may',
    foundIn: { world: 'tokens', seed: 19 },
    patches: [patch('uses: Math.floor(uses / shares) + (n < uses % shares ? 1 : 0),', 'uses,')],
  },
  {
    name: 'a-pace-is-not-kept',
    breaks: 'an-onboarding-token-keeps-its-pace',
    why: 'the pace of a share is looked at, and is not in the row that counts the machine',
    foundIn: { world: 'tokens', seed: 1 },
    patches: [patch('used: share.used + 1, pace: bucket }', 'used: share.used + 1 }')],
  },
  {
    name: 'a-site-is-counted-with-its-neighbours',
    breaks: neighbours,
    why: 'that a call brings a valid token is found out, and it is counted for its address like any other',
    foundIn: { world: 'beside', seed: 1 },
    patches: [patch("if (apart !== undefined) limit(shell, 'token', apart,", "if (apart === '') limit(shell, 'token', apart,")],
  },
  {
    name: 'an-expected-machine-is-a-stranger',
    breaks: neighbours,
    why: 'a new machine is counted for its address, whether or not a token expects it',
    soonest: true,
    foundIn: { world: 'beside', seed: 1 },
    patches: [patch('if (!found && !isExpected) await countNewMachine', 'if (!found) await countNewMachine')],
  },
  {
    name: 'a-token-is-counted-wherever-it-calls-from',
    breaks: neighbours,
    why: 'who calls with the token from elsewhere uses up the calls of the site',
    foundIn: { world: 'beside', seed: 1 },
    patches: [
      patch(
        'const token = await presentedToken(request, shell);',
        'const token = await presentedToken(request, shell);\n  if (token) return token.id;',
      ),
    ],
  },
  {
    name: 'a-token-by-name',
    breaks: tokens,
    why: 'the public part of a token is taken for all of it',
    foundIn: { world: 'tokens', seed: 3 },
    patches: [patch('if (!isSecret(secret, token.hash))', "if (secret === '')")],
  },
  {
    name: 'a-token-never-ends',
    breaks: tokens,
    why: 'only its uses end a token',
    foundIn: { world: 'tokens', seed: 3 },
    patches: [
      patch("if (used >= uses) return 'used';\n  return expiresAt <= now", "if (used >= uses) return 'used';\n  return expiresAt <= 0"),
    ],
  },
  {
    name: 'a-bulk-takes-clones',
    breaks: machineIds,
    why: 'whoever accepts all who wait is taken to have looked at each',
    foundIn: { world: 'cloned', seed: 1 },
    patches: [patch('if (isDuplicate(client) && !duplicates) return', 'if (isDuplicate(client) && !tags) return')],
  },
  {
    name: 'a-machine-id-is-not-noted',
    breaks: machineIds,
    why: 'the note of a machine id is made ready, and is not in the commit of the knock',
    foundIn: { world: 'cloned', seed: 1 },
    patches: [patch('...alias.changes, ...noted,', '...alias.changes,')],
  },
];
