import { faultKinds } from '../../test/simulation/config.ts';
import { invariants } from '../../test/simulation/invariants/index.ts';
import { bugs } from '../../test/simulation/planted/bugs.ts';
import { fileOf } from '../../test/simulation/planted/places.ts';
import { madeFrom, table } from './source.ts';

/** What the simulation watches, which planted bugs show that it can see, and what befalls its worlds. */
export const invariantsPage = (): string => `${madeFrom('test/simulation')}
# Invariants

What [the simulation](simulation.md) watches in every history, the bugs planted to show that each can fail, and the faults it draws.

## Invariants

${table(
  ['name', 'the promise', 'planted bugs'],
  [...invariants]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, says }) => [`\`${name}\``, says, String(bugs.filter(({ breaks }) => breaks === name).length)]),
)}
## Planted bugs

${table(
  ['bug', 'found by', 'in', 'what somebody may have thought, or what follows'],
  [...bugs]
    .sort((a, b) => (a.breaks + a.name < b.breaks + b.name ? -1 : 1))
    .map(({ name, breaks, patches, why }) => [
      `\`${name}\``,
      `\`${breaks}\``,
      [...new Set(patches.map((patch) => `\`${fileOf(patch)}\``))].join(', '),
      why,
    ]),
)}
## Faults

${table(
  ['kind', 'what happens'],
  Object.entries(faultKinds).map(([kind, what]) => [`\`${kind}\``, what]),
)}`;
