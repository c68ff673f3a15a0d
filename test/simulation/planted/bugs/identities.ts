import { type Bug, patch } from '../bug.ts';

const names = 'a-name-that-comes-twice-waits-for-a-word';
const copies = 'a-copied-identity-is-found-out';

/** Mistakes in what tells machines apart whose keys or names are alike. */
export const identityBugs: readonly Bug[] = [
  {
    name: 'a-name-is-not-noted',
    breaks: names,
    why: 'the note of a name is made ready, and only that of the machine id is in the commit of the knock',
    foundIn: { world: 'namesakes', seed: 1 },
    patches: [
      patch(
        '...notes.flatMap(({ note, keys }) => noteChange(shell, note, keys, isForEver)),',
        "...notes.flatMap(({ note, keys }) => (note.claim === 'system-name' ? [] : noteChange(shell, note, keys, isForEver))),",
      ),
    ],
  },
  {
    name: 'a-bulk-takes-namesakes',
    breaks: names,
    why: 'whoever has another key of the same name is shown, and held only for its machine id',
    foundIn: { world: 'namesakes', seed: 1 },
    patches: [
      patch(
        'const taken = claims.filter((claim) => before[claim].length > 0);',
        "const taken = claims.filter((claim) => claim === 'machine-id' && before[claim].length > 0);",
      ),
    ],
  },
  {
    name: 'a-replaced-key-keeps-its-token',
    breaks: 'a-revocation-is-one-commit',
    why: 'the key that was replaced is banned, and nobody thinks of the token that it holds',
    foundIn: { world: 'namesakes', seed: 1 },
    patches: [patch('withRevocations(revoked?.body, [old.body.fp],', 'withRevocations(revoked?.body, [heir.body.fp],')],
  },
  {
    name: 'whoever-takes-turns-restarts',
    breaks: copies,
    why: 'a machine may have been overtaken on its way as often as it likes',
    foundIn: { world: 'in-turns', seed: 1 },
    patches: [patch('if (!boots?.again) return', 'if (boots) return')],
  },
  {
    name: 'who-was-overtaken-is-the-present-one',
    breaks: 'only-a-copy-is-held-for-two',
    why: 'the boot that spoke last is the one that runs, however old its call is',
    foundIn: { world: 'boots-late', seed: 2 },
    patches: [
      patch('if (at <= present.at || isSignedBefore(present, boot, known)) return undefined;', 'if (at <= present.at) return undefined;'),
      patch('boots: { last: [present, ...earlier], again: true } };', 'boots: { last, again: true } };'),
    ],
  },
  {
    name: 'a-boot-is-as-new-as-its-call',
    breaks: 'only-a-copy-is-held-for-two',
    why: 'a boot that nobody has heard of is the newest, although its knock was recorded before the last restart',
    foundIn: { world: 'boots-recorded', seed: 3_000_051_019 },
    patches: [
      patch('if (at <= present.at || isSignedBefore(present, boot, known)) return undefined;', 'if (at <= present.at) return undefined;'),
    ],
  },
  {
    name: 'a-third-boot-is-another-machine',
    breaks: 'only-a-copy-is-held-for-two',
    why: 'a boot that nobody knows, after two others, is taken to be one of several machines',
    foundIn: { world: 'in-turns', seed: 8 },
    patches: [
      patch(
        "if (!known) return { is: 'noted', boots: { last } };",
        "if (!known && earlier.length === 0) return { is: 'noted', boots: { last } };\n  if (!known) return { is: 'copied', boots: { last }, copied: { since: at, at, boots: [present.id, id] } };",
      ),
    ],
  },
  {
    name: 'a-copy-is-sent-on',
    breaks: 'a-key-of-two-is-given-no-node',
    why: 'that two machines run with a key is shown, and each of them is assigned the next node all the same',
    foundIn: { world: 'in-turns', seed: 3 },
    patches: [patch('if (place === undefined || isKeptFrom(client, place)) return wait', 'if (place === undefined) return wait')],
  },
];
