import { describe, expect, it } from 'vitest';
import { generated, stale } from '../../../docs/pages/all.ts';
import { withCounts } from '../../../docs/pages/counts.ts';
import { summaries } from '../../../docs/pages/events.ts';
import { stateMachinesPage } from '../../../docs/pages/state-machines.ts';
import { topologyPage } from '../../../docs/pages/topology.ts';
import { published, reported } from '../../../events/catalogue.ts';
import { reportedAs } from '../../../events/json-schemas.ts';
import { wiring } from '../../../infra/wiring.ts';
import { clientMoves } from '../../../lib/clients/client.ts';
import { statusMoves } from '../../../lib/clients/rows/status.ts';
import { processMoves } from '../../../lib/mero/processes/process.ts';
import { moves } from '../../../lib/nodes/node.ts';
import { serviceMoves } from '../../../lib/services/service.ts';

describe('the generated part of docs/', () => {
  it('is what the code makes it now; else run: npm run docs', () => {
    expect(stale()).toEqual([]);
  });

  it('counts what the wiring has in pages that are written by hand', () => {
    const queues = Object.keys(wiring.queues).length;
    expect(withCounts('<!-- count:queues -->no queues<!-- /count --> and more')).toBe(
      `<!-- count:queues -->${['three', 'four', 'five'][queues - 3]} queues<!-- /count --> and more`,
    );
    expect(() => withCounts('<!-- count:moons -->one moon<!-- /count -->')).toThrow('nothing called moons');
    expect(generated().get('deploy.md')).toMatch(/<!-- count:queues -->.*<!-- count:functions -->/);
  });

  it('has a sentence on every type of the catalogue', () => {
    const missing = [...Object.keys(published), ...Object.keys(reported).map(reportedAs)].filter(
      (type) => !/^[A-Z`][^*]*\.$/.test(summaries()[type] ?? ''),
    );
    expect(missing).toEqual([]);
  });

  it('draws every move of every state machine, once, and no other', () => {
    const arrows = [...stateMachinesPage().matchAll(/^ +([a-z]+) --> ([a-z]+)/gm)].map(([, from, to]) => `${from} ${to}`);
    const tables: readonly Readonly<Record<string, readonly string[]>>[] = [moves.decide, moves.plan, clientMoves, statusMoves];
    const written = tables.flatMap((table) => Object.entries(table).flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`)));
    const byName: readonly Readonly<Record<string, { readonly from: readonly string[]; readonly to: string }>>[] = [
      processMoves,
      serviceMoves,
    ];
    const named = byName.flatMap((table) => [
      ...new Set(Object.values(table).flatMap(({ from, to }) => from.map((state) => `${state} ${to}`))),
    ]);
    expect(arrows.sort()).toEqual([...written, ...named].sort());
    for (const move of [...Object.keys(processMoves), ...Object.keys(serviceMoves)])
      expect(stateMachinesPage()).toMatch(new RegExp(` : (.*, )?${move}(,|$)`, 'm'));
  });

  it('names every function and queue of the wiring', () => {
    const page = topologyPage();
    const missing = [...Object.keys(wiring.functions), ...Object.keys(wiring.queues)].filter((name) => !page.includes(`| \`${name}\` |`));
    expect(missing).toEqual([]);
  });

  it('ends every file with one line end', () => {
    expect([...generated()].filter(([, text]) => !/[^\n]\n$/.test(text)).map(([file]) => file)).toEqual([]);
  });
});
