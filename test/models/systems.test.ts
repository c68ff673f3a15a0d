import fc from 'fast-check';
import { beforeAll, describe, it } from 'vitest';
import { write } from '../../lib/core/decision.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import { contentOf } from '../../lib/runtime/content.ts';
import { aShell } from '../../tools/support/a-shell.ts';
import { aClient, fpOf } from '../../tools/support/builders.ts';
import { aDeployment, aStepNode, type Deployment } from '../support/deployment.ts';
import { always, command, findsFault, type Model, same } from './model.ts';

/** Who is accepted; and what the node's agent holds: the list of each version that it was ever handed. */
type Remembered = { accepted: Set<Fingerprint>; readonly lists: Map<number, readonly string[]>; newest: number; banned: Fingerprint[] };
type Real = { readonly deployment: Deployment; readonly node: string; readonly keys: KeyPair; readonly shell: ReturnType<typeof aShell> };
type Answer = { version: number; whole: boolean; systems: string[]; gone: string[] };

/** A deployment with one node up, which every history begins with. */
let stored: ReadonlyMap<string, Row>;
let node: string;
let keys: KeyPair;
beforeAll(async () => {
  const shell = aShell({ zoneMaxAgeMs: 0 });
  ({ id: node, keys } = await aStepNode(aDeployment(shell), 'node1.acme.org'));
  stored = shell.table.rows;
});

const entryOf = (fp: string): string => fp.slice(0, 16);

/** The agent applies an answer as it is told to: a whole list, or what came and what went. */
function applied(before: readonly string[], { whole, systems, gone }: Answer): string[] {
  if (whole) return [...systems];
  return [...before.filter((fp) => !gone.includes(entryOf(fp))), ...systems].sort();
}

async function ask(model: Remembered, { deployment, node: id, keys }: Real, since: number | undefined, isWrong: boolean): Promise<void> {
  const reply = await deployment.call('GET', `/nodes/${id}/systems${since === undefined ? '' : `?since=${since}`}`, undefined, keys);
  const answer = JSON.parse(reply.body!) as Answer;
  const list = applied(model.lists.get(since ?? -1) ?? [], isWrong ? { ...answer, gone: [] } : answer);
  same(list, [...model.accepted].sort(), 'an agent that applies what it is told holds its client systems');
  same(answer.version < model.newest, false, 'versions of a list never go back');
  const known = model.lists.get(answer.version);
  if (known) same(known, list, 'a version of a list is never another list');
  same(known === undefined && answer.version > model.newest + 1, false, 'versions have no holes');
  model.lists.set(answer.version, list);
  model.newest = answer.version;
}

async function accept(model: Remembered, { shell }: Real, fps: readonly Fingerprint[]): Promise<void> {
  for (const fp of fps) {
    if (model.accepted.has(fp) || model.banned.includes(fp)) continue;
    const row = contentOf({ noun: 'client', id: fp }, undefined, write(aClient({ fp }), 'accepted'), {
      by: 'a test',
      at: shell.now(),
      exact: true,
    });
    await shell.table.commit([{ put: row!, readRev: 0 }]);
    model.accepted.add(fp);
  }
}

const aModelOf = (isWrong = false): Model<Remembered, Real> => ({
  begin: () => {
    const shell = aShell({ zoneMaxAgeMs: 0 }, stored);
    return {
      model: { accepted: new Set(), lists: new Map(), newest: 0, banned: [] },
      real: { shell, deployment: aDeployment(shell), node, keys },
    };
  },
  commands: [
    fc.tuple(fc.nat(20), fc.constantFrom(1, 3, 3, 1_100)).map(([name, count]) =>
      command(`${count} accepted from ${name}`, (model, real) =>
        accept(
          model,
          real,
          Array.from({ length: count }, (_, n) => fpOf(`${name}-${n}`)),
        ),
      ),
    ),
    fc.nat(3).map((n) =>
      command('some are banned', async (model, real) => {
        const some = [...model.accepted].slice(n, n + 2);
        if (some.length === 0) return;
        await real.deployment.call('POST', '/api/v1/systems/ban', { systems: some });
        for (const fp of some) model.accepted.delete(fp);
        model.banned.push(...some);
      }),
    ),
    ...[1, 2].map(() =>
      fc
        .constantFrom(0, 0, 1, 2, 3, undefined)
        .map((age) =>
          command<Remembered, Real>(`the agent asks, ${age === undefined ? 'for all' : `since ${age} versions ago`}`, (model, real) =>
            ask(model, real, age === undefined || model.newest <= age ? undefined : model.newest - age, isWrong),
          ),
        ),
    ),
  ],
});

describe("the lists of a node's client systems", () => {
  it('keep their laws while client systems come and go', () => always(aModelOf(), { numRuns: 15, maxCommands: 25 }), 600_000);

  it('are found out when an answer does not say who has gone', () =>
    findsFault(aModelOf(true), 'an agent that applies what it is told holds its client systems'));
});
