import { type Bug, patch } from '../bug.ts';

/** Mistakes in how Uyuni servers act on client systems. */
export const actedBugs: readonly Bug[] = [
  {
    name: 'a-call-is-written-down-with-its-answer',
    breaks: 'a-system-is-acted-on-once',
    why: 'what the server has done is on disk, and what it has not done it is asked again',
    foundIn: { world: 'servers-act', seed: 1 },
    patches: [patch('    order = { ...order, begunAt: now() };\n    keep(order);', '    order = { ...order, begunAt: now() };')],
  },
  {
    name: 'what-is-unknown-is-done',
    breaks: 'an-action-counts-each-system-once',
    why: 'the server was asked, and servers do what they are asked',
    foundIn: { world: 'servers-act', seed: 2 },
    patches: [patch("const unknown: Outcome = { is: 'unknown',", "const unknown: Outcome = { is: 'done',")],
  },
  {
    name: 'what-is-asked-for-is-not-remembered',
    breaks: 'an-action-ends',
    why: 'Muster names what is to be taken until it was',
    foundIn: { world: 'servers-act', seed: 5 },
    patches: [patch('    this.#orders.asksFor(number);\n', '')],
  },
  {
    name: 'the-last-order-counts',
    breaks: 'an-action-ends',
    why: 'an agent takes an order within seconds, before there is another',
    foundIn: { world: 'servers-act', seed: 2 },
    patches: [patch('act: [...act, { number, until }] }', 'act: [{ number, until }] }')],
  },
];
