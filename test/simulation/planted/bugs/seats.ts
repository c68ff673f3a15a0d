import { type Bug, patch } from '../bug.ts';

const breaks = 'common-content-is-open-on-one-node';
const revision = 'a-server-has-the-revision-that-it-says';
const foundIn = { world: 'servers-edited', seed: 1 } as const;

/** Mistakes in where common content is edited. */
export const seatBugs: readonly Bug[] = [
  {
    name: 'another-node-is-the-seat-at-once',
    breaks,
    why: 'the seat before is gone, and nobody edits there any more',
    foundIn,
    patches: [patch('  if (open && !isAt(open)(chosen))\n', '  if (open && open.epoch > seat.epoch)\n')],
  },
  {
    name: 'the-former-seat-is-not-told',
    breaks,
    why: 'its agent sees that the moment has passed',
    foundIn,
    patches: [patch('[was, is].flatMap((one) => one?.node ?? [])', '[is].flatMap((one) => one?.node ?? [])')],
  },
  {
    name: 'an-election-goes-on-with-the-epoch',
    breaks,
    why: 'an epoch without editors is no epoch',
    foundIn,
    patches: [patch('epoch: seat.epoch + 1, seated', 'epoch: Math.max(1, seat.epoch), seated')],
  },
  {
    name: 'a-grant-is-whole-each-time',
    breaks,
    why: 'whoever asks has just been heard',
    foundIn,
    patches: [patch('const forMs = Math.max(0, until - shell.now());', 'const forMs = until > 0 ? 180_000 : 0;')],
  },
  {
    name: 'content-is-edited-while-it-is-read',
    breaks: revision,
    why: 'the seat has ended, and the next editor elects another',
    foundIn: { world: 'servers-edited', seed: 4 },
    patches: [patch('  if (reading && reading.until > now) return', '  if (reading && reading.until < 1) return')],
  },
  {
    name: 'content-is-read-at-once',
    breaks: revision,
    why: 'nobody is an editor any more: nobody edits',
    foundIn: { world: 'servers-edited', seed: 2 },
    patches: [patch('const closes = open ? plusMs(open.until, clocksMs) : now;', 'const closes = open && now;')],
  },
  {
    name: 'a-document-more-or-less-is-the-same',
    breaks: revision,
    why: 'the rest is there, and a document that fails today may be taken tomorrow',
    foundIn: { world: 'servers-edited', seed: 9 },
    patches: [patch("  if (why.length > 0) return { is: 'failed',", "  if (why.length > 9) return { is: 'failed',")],
  },
  {
    name: 'whoever-is-up-gets-the-revision',
    breaks: 'no-revision-replaces-what-is-edited',
    why: 'it is what all servers are to have, and nobody edits for long',
    foundIn: { world: 'servers-edited', seed: 3 },
    patches: [
      patch(
        "return { ...about, is: hasOwnChanges(seat, { node: id, generation }) ? 'edited' : 'due' };",
        "return { ...about, is: 'due' };",
      ),
      patch('const decision = hasOwnChanges(stateOf(seat, now), { node: id, generation })', 'const decision = generation < 0'),
    ],
  },
  {
    name: 'a-server-at-a-revision-is-the-seat',
    breaks: 'no-revision-replaces-what-is-edited',
    why: 'it is up, and will soon be done',
    foundIn: { world: 'servers-edited', seed: 13 },
    patches: [
      patch('|| isGiven(stateOf(desired[n], shell.now()), node.generation, shell.now())) return [];', ') return [];'),
      patch('  if (isNew && isGiven(', '  if (isNew && is.generation < 0 && isGiven('),
    ],
  },
];
