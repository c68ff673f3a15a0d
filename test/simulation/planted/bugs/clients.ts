import { type Bug, patch } from '../bug.ts';

const decide = 'lib/clients/decide.ts';
const status = 'lib/clients/status.ts';
const plan = 'lib/clients/plan.ts';
const tokens = 'lib/doors/tokens.ts';
const zones = 'lib/doors/zones.ts';

/** Mistakes in what a client system is and what it is told. */
export const clientBugs: readonly Bug[] = [
  {
    name: 'a-ban-can-be-undone',
    breaks: 'tbd',
    why: 'a banned one that is accepted again is accepted',
    patches: [patch(decide, "if (client.standing === 'banned') return nothing('banned, for ever');\n  switch", 'switch')],
  },
  {
    name: 'a-banned-one-knocks-itself-in',
    breaks: 'tbd',
    why: 'a knock makes a banned system new again',
    patches: [
      patch(
        decide,
        "if (client.standing === 'banned') return nothing('banned, for ever');\n  const",
        "if (client.standing === 'banned') return onFirstKnock(who, now);\n  const",
      ),
    ],
  },
  {
    name: 'a-ban-revokes-no-token',
    breaks: 'tbd',
    why: 'the row says banned, and the token says that all is well, for days',
    patches: [patch(plan, 'if (written.length === 0 || !zone)', 'if (true)')],
  },
  {
    name: 'revocations-are-not-looked-at',
    breaks: 'tbd',
    why: 'a token is believed as long as it is young',
    patches: [patch(status, 'return revokedAt === undefined || token.issuedAtS > revokedAt;', 'return true;')],
  },
  {
    name: 'a-revocation-forgets-the-others',
    breaks: 'tbd',
    why: 'the list holds the last ban alone',
    patches: [patch(plan, 'const all = [...kept, ...added];', 'const all = [...added];')],
  },
  {
    name: 'a-banned-one-is-given-a-token',
    breaks: 'tbd',
    why: 'whoever knocks gets one',
    patches: [
      patch(
        'lib/doors/knock.ts',
        "if (client.standing !== 'accepted') return byteAnswer",
        "if (client.standing === 'pooled') return byteAnswer",
      ),
    ],
  },
  {
    name: 'told-is-confirmed',
    breaks: 'tbd',
    why: 'a client that was told a node is where it was told to be',
    patches: [
      patch(
        decide,
        'const told: Told = { index, node, generation, at: now };',
        'const told: Told = { index, node, generation, at: now, confirmedAt: now };',
      ),
    ],
  },
  {
    name: 'a-new-place-keeps-the-old-confirmation',
    breaks: 'tbd',
    why: 'what was said of another node counts for this one',
    patches: [
      patch(
        decide,
        'const told: Told = { index, node, generation, at: now };',
        'const told: Told = { ...client.told, index, node, generation, at: now };',
      ),
    ],
  },
  {
    name: 'any-confirmation-confirms',
    breaks: 'tbd',
    why: 'a confirmation of another place counts for this one',
    patches: [patch(decide, 'if (!told || told.index !== index || told.generation !== generation)', 'if (!told)')],
  },
  {
    name: 'the-daemon-says-any-name',
    breaks: 'tbd',
    why: 'a daemon that is still on its old node confirms the new one',
    patches: [patch('lib/doors/knock.ts', ' && zone.members[told.index]?.fqdn === body.confirmed)', ')')],
  },
  {
    name: 'an-old-digest-confirms',
    breaks: 'tbd',
    why: 'the node saw the client before it was told to go there',
    patches: [patch('lib/digests/digest.ts', 'if (row.at <= moment) return undefined;', 'if (row.at <= moment) return row;')],
  },
  {
    name: 'a-digest-of-another-list-confirms',
    breaks: 'tbd',
    why: 'a bit is looked up in whatever list is at hand',
    patches: [
      patch('lib/digests/digest.ts', 'one?.listVersion === listVersion && ((one.bits', '((one?.bits'),
      patch('lib/digests/digest.ts', '[position >> 3] ?? 0) & (1', '?.[position >> 3] ?? 0) & (1'),
    ],
  },
  {
    name: 'a-place-is-served-by-whoever-has-the-index',
    breaks: 'tbd',
    why: 'the generation is not looked at',
    patches: [patch('lib/zones/loaded.ts', 'generationAt(head.roster, index) === generation && ', '')],
  },
  {
    name: 'onboarded-wherever-it-is',
    breaks: 'tbd',
    why: 'a client whose slot has moved stays where it was',
    patches: [
      patch(
        status,
        'return told.index === owner && servesAt(zone, owner, told.generation)',
        'return servesAt(zone, told.index, told.generation)',
      ),
    ],
  },
  {
    name: 'a-cached-zone-is-never-too-old',
    breaks: 'tbd',
    why: 'an environment answers by the map it first read',
    patches: [patch(zones, 'shell.now() - kept.readAt <= shell.settings.zoneMaxAgeMs', 'true')],
  },
  {
    name: 'an-answer-may-be-older-than-the-last-one',
    breaks: 'tbd',
    why: 'two environments have two maps, and the client goes back and forth',
    patches: [
      patch(zones, 'if (fresh && fresh.head.version >= atLeast) return fresh;', 'if (fresh) return fresh;'),
      patch(zones, 'if (!shared || shared.head.version >= atLeast) return shared;', 'return shared;'),
    ],
  },
  {
    name: 'members-are-read-once',
    breaks: 'tbd',
    why: 'a node that joined later has no name',
    patches: [
      patch(zones, 'const sameMembers = kept?.head.membersVersion === head.membersVersion;', 'const sameMembers = kept !== undefined;'),
    ],
  },
  {
    name: 'the-map-is-read-once',
    breaks: 'tbd',
    why: 'slots that moved stay with who had them',
    patches: [
      patch(
        zones,
        'const sameMap = kept?.head.mapVersion === head.mapVersion && kept.head.slots === head.slots;',
        'const sameMap = kept !== undefined;',
      ),
    ],
  },
  {
    name: 'deltas-are-not-read',
    breaks: 'tbd',
    why: 'a large zone is what its pages were',
    patches: [
      patch(zones, '? [] : await readDeltas(shell, head.name, since);', '? [] : (await readDeltas(shell, head.name, since)).slice(1);'),
    ],
  },
  {
    name: 'a-token-lives-on-in-another-epoch',
    breaks: 'tbd',
    why: 'after a restore an old token still names an index',
    patches: [patch(status, 'token.epoch !== zone.head.epoch || ', '')],
  },
  {
    name: 'a-token-is-for-anybody',
    breaks: 'tbd',
    why: 'the fingerprint is not compared',
    patches: [patch(tokens, '|| token.fp !== fp.slice(0, 32)) return', ') return')],
  },
  {
    name: 'a-client-is-sent-to-a-node-that-goes',
    breaks: 'tbd',
    why: 'whoever owns the slot is told',
    patches: [patch(status, 'return admitsAt(zone, owner) ? owner : undefined;', 'return owner === nobody ? undefined : owner;')],
  },
  {
    name: 'the-other-key-is-another-system',
    breaks: 'tbd',
    why: 'an alias is not followed',
    patches: [
      patch(
        'lib/doors/client-rows.ts',
        "return state.standing === 'alias' ? clientRow(shell, state.of) : { state, row: row! };",
        'return { state: state as Client, row: row! };',
      ),
    ],
  },
];
