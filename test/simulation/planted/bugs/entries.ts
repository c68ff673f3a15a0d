import { type Bug, patch } from '../bug.ts';

const breaks = 'a-ticket-enters-once';
const foundIn = { world: 'servers-entered', seed: 1 } as const;

/** Mistakes in how tickets let people into servers. */
export const entryBugs: readonly Bug[] = [
  {
    name: 'a-ticket-is-good-again',
    breaks,
    why: 'the browser may send its form again after an error',
    foundIn,
    patches: [patch("  if (ticket.presented) return nothing('the ticket was presented before');\n", '')],
  },
  {
    name: 'a-ticket-has-no-end',
    breaks,
    why: 'the row ends by itself',
    foundIn,
    patches: [patch("  if (ticket.expiresAt <= now) return nothing('the ticket is too old: it holds for 30 s');\n", '')],
  },
  {
    name: 'any-server-takes-a-ticket',
    breaks,
    why: 'the secret is right, and nobody else has it',
    foundIn,
    patches: [patch('  if (node !== ticket.node) {\n    const refused', '  if (node === undefined) {\n    const refused')],
  },
  {
    name: 'a-server-has-one-page',
    breaks,
    why: 'who is in can go on from the overview',
    foundIn,
    patches: [patch('return made.ok ? ledTo(taken.path, made) :', "return made.ok ? ledTo('/rhn/YourRhn.do', made) :")],
  },
];
