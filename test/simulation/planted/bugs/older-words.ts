import { type Bug, patch } from '../bug.ts';

/** Mistakes by which what is older counts for more than what is newer: boots, maps, orders. */
export const olderWordBugs: readonly Bug[] = [
  {
    name: 'another-boot-may-speak',
    breaks: 'reports-of-another-boot-change-nothing',
    why: 'a heartbeat of the boot before sets the number below which those of the new boot are ignored',
    foundIn: { world: 'doubled', seed: 1 },
    patches: [
      patch('if (report.incarnation !== undefined && report.incarnation !== node.incarnation)\n    return', 'if (false)\n    return'),
    ],
  },
  {
    name: 'a-release-clears-all-orders',
    breaks: 'a-release-order-is-carried-out',
    why: 'an order that came meanwhile is never seen by its agent',
    foundIn: { world: 'doubled', seed: 5 },
    patches: [
      patch('desired?.release.filter((order) => order.mapVersion > mapVersion) ?? []', 'desired?.release.filter(() => false) ?? []'),
    ],
  },
  {
    name: 'facts-in-any-order',
    breaks: 'facts-of-a-host-never-go-back',
    why: 'a queue hands a node-up out again after the host had another',
    foundIn: { world: 'doubled', seed: 1 },
    patches: [patch('if (host && up.receivedAt <= host.at)', 'if (false)')],
  },
  {
    name: 'confirmed-facts-keep-their-moment',
    breaks: 'replay-changes-nothing',
    why: 'facts that have not changed need no write, and an older node-up that comes late brings others',
    foundIn: { world: 'doubled-apart', seed: 9_318_443 },
    patches: [
      patch("return up.vouched ? nothing('the host is as it was')", "return !up.vouched || up.vouched ? nothing('the host is as it was')"),
    ],
  },
  {
    name: 'a-table-is-taken-in-again',
    breaks: 'replay-changes-nothing',
    why: 'whoever goes through a table again finds each row as it is by then',
    foundIn: { world: 'loading-anew', seed: 8_300_349 },
    patches: [patch('(node.table?.taken ?? -1) >= ', '-1 >= ')],
  },
  {
    name: 'a-verdict-by-the-cached-map',
    breaks: 'not-yours-is-said-by-the-newest-map',
    why: 'the client system was told its node by a map that this environment has not read yet',
    foundIn: { world: 'claimed', seed: 41 },
    patches: [patch("if (verdict.verdict !== 'not-yours') return", 'if (verdict) return')],
  },
  {
    name: 'the-last-receive-is-one-more',
    breaks: 'a-last-failure-is-put-aside',
    why: 'the message goes to the dead letters of the queue itself, and nobody knows why',
    foundIn: { world: 'late', seed: 2 },
    patches: [
      patch(
        "if (failure.retry === 'later' && message.receives < shell.settings.receivesMax) return failure;",
        "if (failure.retry === 'later') return failure;",
      ),
    ],
  },
  {
    name: 'a-plan-does-not-know-its-own-commit',
    breaks: 'an-order-is-answered-as-it-was-carried-out',
    why: 'whoever has just banned a machine reads that it was banned already',
    foundIn: { world: 'lagging', seed: 1 },
    patches: [patch('if (tried && (await isCommitted(shell, tried.puts)))', 'if (false)')],
  },
];
