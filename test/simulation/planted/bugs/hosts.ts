import { type Bug, patch } from '../bug.ts';

/** Mistakes in who is let in as a node, and in whose key speaks for it. */
export const hostBugs: readonly Bug[] = [
  {
    name: 'a-call-is-taken-as-often-as-it-is-made',
    breaks: 'captured-calls-change-nothing',
    why: 'a signature is good for minutes, and so is whatever it signs',
    foundIn: { world: 'overheard', seed: 1 },
    patches: [patch('if (takenOnce.has(route)) await useNonce', 'if (!takenOnce) await useNonce')],
  },
  {
    name: 'a-digest-is-enough',
    breaks: 'captured-calls-change-nothing',
    why: 'the body is what its digest says, and the key is named: what else should be looked at',
    foundIn: { world: 'overheard', seed: 2 },
    patches: [
      patch(
        'if (claim.keyId !== keyId || !isSignedBy(claim, key)) throw notSigned(shell);',
        'if (claim.keyId !== keyId) throw notSigned(shell);',
      ),
    ],
  },
  {
    name: 'whoever-is-heard-again-renews-his-lease',
    breaks: 'captured-calls-change-nothing',
    why: 'a station that calls is there, whatever it calls',
    foundIn: { world: 'overheard-stations', seed: 1 },
    patches: [patch('const isAnew = seq > node.seq && !(heard && isMadeAgain(heard, heartbeatReport));', 'const isAnew = true;')],
  },
  {
    name: 'a-lease-knows-no-heartbeat',
    breaks: 'captured-calls-change-nothing',
    why: 'the row of its node knows which heartbeats were heard',
    foundIn: { world: 'overheard-late', seed: 3000040201 },
    patches: [
      patch('if (lease?.node === node && isMadeAgain(lease.heartbeat, heartbeat)) return', 'if (isMadeAgain(undefined, heartbeat)) return'),
    ],
  },
  {
    name: 'whoever-signs-is-somebody',
    breaks: 'a-node-speaks-by-its-own-key',
    why: 'a call that is signed is taken for one of the node in its path',
    foundIn: { world: 'overheard', seed: 4 },
    patches: [patch('checkSigned(shell, claim, isNext ? node.nextKey! : node.publicKey);', '')],
  },
  {
    name: 'the-key-before-is-kept-in-case',
    soonest: true,
    breaks: 'a-node-speaks-by-its-own-key',
    why: 'should the new key be lost, the old one brings the node back',
    foundIn: { world: 'rotating', seed: 1 },
    patches: [patch('{ ...rest, publicKey: nextKey }', '{ ...rest, publicKey: nextKey, nextKey: node.publicKey }')],
  },
  {
    name: 'the-next-key-is-the-key-at-once',
    breaks: 'an-agent-is-never-locked-out',
    why: 'an agent whose answer was lost signs with the key that it has, and has no other way to say so',
    foundIn: { world: 'rotating', seed: 7 },
    patches: [patch("nextKey: publicKey as Node['publicKey'] }", "publicKey: publicKey as Node['publicKey'] }")],
  },
  {
    name: 'a-new-key-is-nobodys-news',
    breaks: 'events-say-what-happened',
    why: 'a node is what it is, whatever key it has',
    foundIn: { world: 'rotating', seed: 1 },
    patches: [patch("events: [concluded('node.rekeyed', next, keys)]", 'events: []')],
  },
  {
    name: 'a-removed-node-speaks-until-it-is-dropped',
    breaks: 'a-revoked-key-opens-nothing',
    why: 'its slots are moved by the plan, which comes later',
    foundIn: { world: 'guarded', seed: 6 },
    patches: [patch('  refuseRemoved(node);\n  if (!isNext)', '  if (!isNext)')],
  },
  {
    name: 'a-token-is-never-used-up',
    breaks: 'a-join-token-admits-as-often-as-it-may',
    why: 'its end is looked at, and its count is not',
    foundIn: { world: 'guarded', seed: 2 },
    patches: [patch("if (admitted.length >= uses) return 'used';", '')],
  },
  {
    name: 'a-token-is-for-any-name',
    breaks: 'a-join-token-admits-as-often-as-it-may',
    why: 'whoever has the secret has it from us',
    foundIn: { world: 'guarded', seed: 1 },
    patches: [patch('if (!isMeant(readPattern(token.nodes) ?? [], presented.fqdn))', 'if (!readPattern(token.nodes))')],
  },
  {
    name: 'a-token-is-counted-some-other-time',
    breaks: 'only-who-is-let-in-becomes-a-node',
    why: 'of two hosts that bring one token at once both are let in',
    foundIn: { world: 'guarded', seed: 1 },
    patches: [
      patch(
        'changes: [{ ref, readRev: row!.rev, decision }] };\n}\n\n/**\n * By an operator',
        'changes: decision === undefined ? [{ ref, readRev: row!.rev, decision }] : [] };\n}\n\n/**\n * By an operator',
      ),
    ],
  },
  {
    name: 'who-waits-is-let-in',
    breaks: 'only-who-is-let-in-becomes-a-node',
    why: 'a host that is in the pool has been seen by somebody',
    foundIn: { world: 'guarded', seed: 1 },
    patches: [
      patch(
        "host?.standing === 'admitted' && isAdmittedAs(host, asking)\n    ? { ...host.as,",
        "host !== undefined && host.fqdn === asking.fqdn\n    ? { zone: 'default', kind: host.kind, ...(host.standing === 'admitted' && host.as),",
      ),
    ],
  },
  {
    name: 'a-token-vouches-for-any-address',
    breaks: 'nobody-is-watched-where-it-is-not',
    why: 'whoever has a token is to be a node, and knows best where it is seen',
    foundIn: { world: 'lying', seed: 1 },
    patches: [patch('if (!token.anyWatch && !isOwnWatch(host)) return', 'if (!isOwnWatch) return')],
  },
  {
    name: 'a-rule-asks-for-the-name-alone',
    soonest: true,
    breaks: 'nobody-is-watched-where-it-is-not',
    why: 'where it is watched is not who it is',
    foundIn: { world: 'lying', seed: 1 },
    patches: [patch('if (!anyWatch && !isOwnWatch(host)) return false;', 'if (anyWatch && !isOwnWatch) return false;')],
  },
  {
    name: 'who-is-admitted-is-watched-anywhere',
    breaks: 'nobody-is-watched-where-it-is-not',
    why: 'an operator has allowed another address, whichever that is',
    foundIn: { world: 'lying', seed: 1 },
    patches: [patch('(admitted.as.anyWatch === true && admitted.watch === asking.watch)', 'admitted.as.anyWatch === true')],
  },
  {
    name: 'what-is-within-is-its-own',
    breaks: 'nobody-is-watched-where-it-is-not',
    why: 'what ends in the name of the host is on it',
    foundIn: { world: 'lying', seed: 1 },
    patches: [patch('(host === fqdn ||', '(host.endsWith(fqdn) ||')],
  },
];
