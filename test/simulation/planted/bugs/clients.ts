import { type Bug, patch } from '../bug.ts';

/** Mistakes in what a client system is and what it is told. */
export const clientBugs: readonly Bug[] = [
  {
    name: 'a-ban-can-be-undone',
    breaks: 'client-rows-are-written-when-something-is-new',
    why: 'a banned one that is accepted again is accepted',
    foundIn: { world: 'strict', seed: 3 },
    patches: [patch("if (client.standing === 'banned') return nothing('banned, for ever');\n  switch", 'switch')],
  },
  {
    name: 'a-banned-one-knocks-itself-in',
    breaks: 'client-rows-are-written-when-something-is-new',
    why: 'a knock makes a banned system new again',
    foundIn: { world: 'late', seed: 3 },
    patches: [
      patch("if (found?.standing === 'banned') return deleted(found, shell);", ''),
      patch(
        "if (client.standing === 'banned') return nothing('banned, for ever');\n  if (unsigned",
        "if (client.standing === 'banned') return onFirstKnock(knock, now);\n  if (unsigned",
      ),
    ],
  },
  {
    name: 'a-ban-revokes-no-token',
    breaks: 'a-revocation-is-one-commit',
    why: 'the row says banned, and the token says that all is well, for days',
    foundIn: { world: 'busy', seed: 3 },
    patches: [patch('if (written.length === 0 || !zone)', 'if (true)')],
  },
  {
    name: 'a-revocation-forgets-the-others',
    breaks: 'tokens-say-what-the-row-says',
    why: 'the list holds the last ban alone',
    foundIn: { world: 'strict', seed: 1 },
    patches: [patch('const all = [...recent, ...added];', 'const all = [...added];')],
  },
  {
    name: 'revocations-are-not-looked-at',
    breaks: 'tokens-say-what-the-row-says',
    why: 'a token is believed as long as it is young',
    foundIn: { world: 'strict', seed: 1 },
    patches: [patch('return revokedAt === undefined || token.issuedAtS > revokedAt;', 'return true;')],
  },
  {
    name: 'a-token-outlives-its-epoch',
    breaks: 'tokens-say-what-the-row-says',
    why: 'it is signed by a key that holds, young and not revoked',
    foundIn: { world: 'restored', seed: 1 },
    patches: [patch('if (token.epoch !== zone.head.epoch || token.issuedAtS', 'if (token.issuedAtS')],
  },
  {
    name: 'a-banned-one-is-given-a-token',
    breaks: 'tokens-say-what-the-row-says',
    why: 'whoever knocks gets one',
    foundIn: { world: 'late', seed: 3 },
    patches: [
      patch("if (found?.standing === 'banned') return deleted(found, shell);", ''),
      patch("if (client.standing !== 'accepted' || !isSigned)", "if (client.standing === 'pooled' || !isSigned)"),
    ],
  },
  {
    name: 'told-is-confirmed',
    breaks: 'onboarded-is-confirmed',
    why: 'a client that was told a node is where it was told to be',
    foundIn: { world: 'calm', seed: 3 },
    patches: [
      patch(
        'const told: Assignment = { index, node, generation, at: now };',
        'const told: Assignment = { index, node, generation, at: now, confirmedAt: now };',
      ),
    ],
  },
  {
    name: 'a-new-place-keeps-the-old-confirmation',
    breaks: 'onboarded-is-confirmed',
    why: 'what was said of another node counts for this one',
    foundIn: { world: 'calm', seed: 3 },
    patches: [
      patch(
        'const told: Assignment = { index, node, generation, at: now };',
        'const told: Assignment = { ...client.told, index, node, generation, at: now };',
      ),
    ],
  },
  {
    name: 'the-daemon-says-any-name',
    breaks: 'onboarded-is-confirmed',
    why: 'a daemon that is still on its old node confirms the new one',
    foundIn: { world: 'elsewhere', seed: 3 },
    patches: [patch(' && zone.members[told.index]?.fqdn === body.confirmed)', ')')],
  },
  {
    name: 'an-old-digest-confirms',
    breaks: 'onboarded-is-confirmed',
    why: 'the node saw the client before it was told to go there',
    foundIn: { world: 'settling', seed: 1 },
    patches: [patch('if (row.at <= moment) return undefined;', 'if (row.at <= moment) return row;')],
  },
  {
    name: 'onboarded-wherever-it-is',
    breaks: 'onboarded-is-confirmed',
    why: 'a client whose slot has moved stays where it was',
    foundIn: { world: 'calm', seed: 3 },
    patches: [patch('if (isServed && (told.index === ownerOf(zone, placed) ||', 'if (isServed && (true ||')],
  },
  {
    name: 'a-cached-zone-is-never-too-old',
    breaks: 'onboarded-is-confirmed',
    why: 'an environment answers by the map it first read',
    foundIn: { world: 'away', seed: 2 },
    patches: [patch('shell.now() - entry.readAt <= shell.settings.zoneMaxAgeMs', 'true')],
  },
  {
    name: 'members-are-read-once',
    breaks: 'no-call-meets-the-unexpected',
    why: 'a node that joined later has no name',
    foundIn: { world: 'busy', seed: 3 },
    patches: [
      patch('const sameMembers = previous?.head.membersVersion === head.membersVersion;', 'const sameMembers = previous !== undefined;'),
    ],
  },
  {
    name: 'the-map-is-read-once',
    breaks: 'clients-are-sent-where-the-map-says',
    why: 'slots that moved stay with who had them',
    foundIn: { world: 'weather', seed: 2 },
    patches: [
      patch(
        'const sameMap = previous?.head.mapVersion === head.mapVersion && previous.head.slots === head.slots;',
        'const sameMap = previous !== undefined;',
      ),
    ],
  },
  {
    name: 'deltas-are-not-read',
    breaks: 'everyone-is-at-home-at-the-end',
    why: 'a large zone is what its pages were',
    foundIn: { world: 'away', seed: 7 },
    patches: [patch('? [] : await readDeltas(shell, head.name, since);', '? [] : (await readDeltas(shell, head.name, since)).slice(1);')],
  },
  {
    name: 'a-client-is-sent-to-a-node-that-goes',
    breaks: 'clients-are-sent-where-the-map-says',
    why: 'whoever owns the slot is told',
    foundIn: { world: 'busy', seed: 1 },
    patches: [patch('return admitsAt(zone, owner) ? owner : undefined;', 'return owner === nobody ? undefined : owner;')],
  },
  {
    name: 'the-other-key-is-another-system',
    breaks: 'the-byte-moves-along-its-automaton',
    why: 'an alias is not followed',
    foundIn: { world: 'late', seed: 3 },
    patches: [
      patch(
        "return state.standing === 'alias' ? clientRow(shell, state.of) : { state, row: row! };",
        'return { state: state as Client, row: row! };',
      ),
    ],
  },
  {
    name: 'a-token-is-for-anybody',
    soonest: true,
    breaks: 'tokens-say-what-the-row-says',
    why: 'whoever has a token of ours may ask for any machine',
    foundIn: { world: 'machines', seed: 1 },
    patches: [patch('|| token.fp !== fp.slice(0, 32)) return', ') return')],
  },
];
