import { describe, expect, it } from 'vitest';
import { castsIn } from './architecture/casts.ts';
import { shown, violations } from './architecture/check.ts';
import { parse, readSources, type Sources } from './architecture/sources.ts';

const sources = readSources();

/** The project as it would be with this text at the beginning of one of its files, and what that breaks. */
function withEdit(path: string, text: string): string[] {
  const now = sources.get(path);
  if (now === undefined) throw new Error(`there is no file ${path}`);
  return violations(new Map([[path, `${text}\n${now}`]])).map(shown);
}
/** What a project of these files alone breaks. */
const within = (files: Readonly<Record<string, string>>): string[] =>
  violations(new Map(Object.entries(files)) satisfies Sources).map(shown);

describe('the architecture', () => {
  it('holds in every file of the project', () => {
    expect(violations(sources).map(shown)).toEqual([]);
    for (const file of [
      'functions/sweep.ts',
      'lib/nodes/decide.ts',
      'lib/assembly/dispatch.ts',
      'programs/local/main.ts',
      'infra/wiring.ts',
      'events/catalogue.ts',
    ])
      expect(sources.has(file), file).toBe(true);
  });

  it('has a place for every file', () => {
    expect(within({ 'lib/misc.ts': '' })).toEqual(['lib/misc.ts:1 no layer of the architecture has a place for this file']);
  });
});

describe('a clock, chance or the environment', () => {
  it('is refused in a noun, in every form', () => {
    const why = 'time, chance and environment come in as values, by the shell';
    expect(withEdit('lib/nodes/decide.ts', 'const startedAt = Date.now();')).toEqual([
      `lib/nodes/decide.ts:1 uses Date.now, a clock: ${why}`,
    ]);
    expect(withEdit('lib/core/lease.ts', 'const at = () =>\n  new Date();')).toEqual([
      `lib/core/lease.ts:2 uses new Date(), a clock: ${why}`,
    ]);
    expect(withEdit('lib/zones/placing/place.ts', 'const pick = () => Math.random();')).toEqual([
      `lib/zones/placing/place.ts:1 uses Math.random, chance: ${why}`,
    ]);
    expect(withEdit('lib/deployment/reads.ts', 'const port = process.env.PORT;')).toEqual([
      `lib/deployment/reads.ts:1 uses process.env, the environment: ${why}`,
    ]);
    expect(withEdit('lib/assembly/sweep.ts', 'const wait = () => setTimeout(() => {}, 1);')).toEqual([
      `lib/assembly/sweep.ts:1 uses setTimeout, a timer: ${why}`,
    ]);
    expect(withEdit('lib/runtime/apply.ts', "import { setTimeout as sleep } from 'node:timers/promises';")).toEqual([
      'lib/runtime/apply.ts:1 imports node:timers/promises, a timer: time comes in as a value, by the shell',
      `lib/runtime/apply.ts:1 uses setTimeout, a timer: ${why}`,
    ]);
    expect(withEdit('lib/clients/handlers/knock.ts', "import { randomUUID } from 'node:crypto';")).toEqual([
      `lib/clients/handlers/knock.ts:1 uses randomUUID, chance: ${why}`,
    ]);
  });

  it('is what a shell, a host and a program are for, and a moment that was given is a value', () => {
    const clock = 'const now = () => Date.now();';
    expect(within({ 'lib/runtime/aws-shell.ts': clock, 'programs/local/shell.ts': clock, 'programs/agent/main.ts': clock })).toEqual([]);
    expect(within({ 'lib/nodes/view.ts': 'export const iso = (at: number) => new Date(at).toISOString();' })).toEqual([]);
  });
});

describe('imports', () => {
  it('keep an AWS SDK out of functions and handlers', () => {
    const sdk = "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';";
    expect(withEdit('functions/sweep.ts', sdk)).toEqual([
      'functions/sweep.ts:1 imports @aws-sdk/client-dynamodb: a function is a sentence that names handlers, a schedule or a report; it holds no adapter',
      'functions/sweep.ts:1 imports @aws-sdk/client-dynamodb: an AWS SDK is in adapters only, so that everything else runs anywhere',
    ]);
    expect(withEdit('lib/ports/table/memory.ts', sdk)).toEqual([
      'lib/ports/table/memory.ts:1 imports @aws-sdk/client-dynamodb: an AWS SDK is in adapters only, so that everything else runs anywhere',
    ]);
    expect(withEdit('lib/zones/reads/zones.ts', "import { dynamoTable } from '../../ports/table/dynamo.ts';")).toEqual([
      'lib/zones/reads/zones.ts:1 imports lib/ports/table/dynamo.ts: reads are for other nouns too: they write nothing, and know no handler',
      'lib/zones/reads/zones.ts:1 imports lib/ports/table/dynamo.ts: an adapter is chosen by the host, never by who uses the port',
    ]);
  });

  it('go by the kind of a file, which its name tells', () => {
    const pure = 'what has no other kind is pure: it meets other nouns through their rows, and never sees where rows are kept';
    expect(within({ 'lib/clients/decide.ts': "import type { Node } from '../nodes/node.ts';" })).toEqual([]);
    expect(within({ 'lib/clients/decide.ts': "import { decide } from '../nodes/decide.ts';" })).toEqual([
      `lib/clients/decide.ts:1 imports lib/nodes/decide.ts: ${pure}`,
    ]);
    expect(within({ 'lib/clients/decide.ts': "import { apply } from '../runtime/apply.ts';" })).toEqual([
      `lib/clients/decide.ts:1 imports lib/runtime/apply.ts: ${pure}`,
    ]);
    expect(within({ 'lib/nodes/node.ts': "export type { Row } from '../ports/table/table.ts';" })).toHaveLength(1);
    expect(within({ 'lib/nodes/node.ts': "import { decide } from './decide.ts';" })).toEqual([
      'lib/nodes/node.ts:1 imports lib/nodes/decide.ts: a row file says what a noun is: its schema, its states and moves, and what can be read from them',
    ]);
    expect(within({ 'lib/nodes/view.ts': "import { flapOf } from './waits.ts';" })).toEqual([]);
    expect(within({ 'lib/nodes/routes.ts': "import { flapOf } from './waits.ts';" })).toHaveLength(1);
  });

  it('let a handler decide for its own noun alone', () => {
    const handler = 'a handler decides by what is pure of its own noun; of others it has their reads and changes';
    const all = "import { decide } from '../decide.ts';\nimport { decide as other } from '../../clients/decide.ts';";
    expect(within({ 'lib/nodes/handlers/join.ts': all })).toEqual([
      `lib/nodes/handlers/join.ts:2 imports lib/clients/decide.ts: ${handler}`,
    ]);
    expect(within({ 'lib/nodes/handlers/join.ts': "import { gateOf } from '../../zones/changes/gate.ts';" })).toEqual([]);
    expect(within({ 'lib/zones/reads/zones.ts': "import { gateOf } from '../changes/gate.ts';" })).toEqual([
      'lib/zones/reads/zones.ts:1 imports lib/zones/changes/gate.ts: reads are for other nouns too: they write nothing, and know no handler',
    ]);
    expect(within({ 'lib/assembly/dispatch.ts': all.replaceAll('../', './').replaceAll('../', '../') })).toEqual([]);
    expect(within({ 'lib/nodes/tick.ts': "import { dispatch } from '../assembly/dispatch.ts';" })).toHaveLength(2);
  });

  it('are seen as types, as re-exports and when they are computed', () => {
    const runtime = 'the runtime carries out what any noun decides, and so knows none of them';
    expect(within({ 'lib/runtime/apply.ts': "import type { Node } from '../nodes/node.ts';" })).toEqual([
      `lib/runtime/apply.ts:1 imports lib/nodes/node.ts: ${runtime}`,
    ]);
    expect(within({ 'lib/runtime/apply.ts': "export * from '../zones/reads/zones.ts';" })).toEqual([
      `lib/runtime/apply.ts:1 imports lib/zones/reads/zones.ts: ${runtime}`,
    ]);
    expect(within({ 'lib/runtime/apply.ts': "type N = import('../nodes/node.ts').Node;" })).toEqual([
      `lib/runtime/apply.ts:1 imports lib/nodes/node.ts: ${runtime}`,
    ]);
    expect(within({ 'lib/runtime/apply.ts': 'const load = (noun: string) => import(`../$' + '{noun}/decide.ts`);' })).toEqual([
      `lib/runtime/apply.ts:1 imports lib/: ${runtime}`,
    ]);
    expect(within({ 'lib/runtime/apply.ts': 'const load = (path: string) => import(path);' })).toEqual([
      `lib/runtime/apply.ts:1 imports something computed: ${runtime}`,
    ]);
  });

  it('take zod whole, so that bundles leave most of it out', () => {
    expect(within({ 'events/define.ts': "import { z } from 'zod';" })).toEqual([
      'events/define.ts:1 imports names of zod: only `import * as z` lets a bundle leave most of it out',
    ]);
    expect(within({ 'events/define.ts': "import type * as z from 'zod';" })).toEqual([]);
  });

  it('make no cycle of files by value', () => {
    const files = (type: string) => ({
      'lib/zones/placing/plan.ts': "import { place } from './place.ts';",
      'lib/zones/placing/place.ts': `import ${type}{ P } from './plan.ts';`,
    });
    expect(within(files(''))).toEqual([
      'lib/zones/placing/place.ts:1 closes a cycle of files: lib/zones/placing/plan.ts → lib/zones/placing/place.ts → lib/zones/placing/plan.ts',
    ]);
    expect(within(files('type '))).toEqual([]);
  });

  it('make no cycle of units, types included', () => {
    expect(
      within({
        'lib/zones/pins/follow.ts': "import type { Move } from '../map/board.ts';",
        'lib/zones/map/heap.ts': "import type { Pinned } from '../pins/queue.ts';",
      }),
    ).toEqual(['lib/zones/map/heap.ts:1 closes a cycle of units: zones/pins (pure) → zones/map (pure) → zones/pins (pure)']);
  });
});

describe('a folder', () => {
  it('holds at most 40 files', () => {
    const files = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`lib/zones/placing/part-${n}.ts`, '']));
    expect(within(files(40))).toEqual([]);
    expect(within(files(41))).toEqual(['lib/zones/placing/:1 holds 41 files: more than 40 are two or more things']);
  });
});

describe('mutable state of a module', () => {
  const because = 'a module remembers nothing, because one import serves many environments; caches live on the shell';
  const refused = (text: string): string[] => within({ 'lib/zones/reads/zones.ts': text });

  it('is refused in lib and in functions, in every form', () => {
    expect(withEdit('lib/zones/reads/zones.ts', 'const cache = new Map<string, number>();')).toEqual([
      `lib/zones/reads/zones.ts:1 cache is a Map that can be added to: ${because}`,
    ]);
    expect(withEdit('functions/sweep.ts', 'let runs = 0;')).toEqual([`functions/sweep.ts:1 let runs: ${because}`]);
    expect(refused('export var zone;')).toEqual([`lib/zones/reads/zones.ts:1 var zone: ${because}`]);
    expect(refused('\nexport const seen = [];')).toEqual([
      `lib/zones/reads/zones.ts:2 seen is an empty list, of use only to be filled: ${because}`,
    ]);
    expect(refused('const byName: Record<string, number> = {};')).toEqual([
      `lib/zones/reads/zones.ts:1 byName is an empty object, of use only to be filled: ${because}`,
    ]);
    expect(refused('const all = { a: 1 };\nexport const set = (n: number) => { all.a = n; };')).toEqual([
      `lib/zones/reads/zones.ts:1 all is changed in place: ${because}`,
    ]);
    expect(refused('const ring = [1, 2];\nexport const turn = () => ring.push(ring.shift()!);')).toHaveLength(1);
    expect(refused('const next = (() => { let n = 0; return () => n++; })();')).toEqual([
      `lib/zones/reads/zones.ts:1 next is made by a function that may keep something: ${because}`,
    ]);
    expect(refused('const word = /a+/g;')).toEqual([
      `lib/zones/reads/zones.ts:1 word is a pattern that remembers where it was: ${because}`,
    ]);
    expect(refused('export class Zones { static count = 0; }')).toEqual([
      `lib/zones/reads/zones.ts:1 a static field that can be set: ${because}`,
    ]);
  });

  it('is not what a constant is that nobody can change', () => {
    expect(refused("const names: ReadonlyMap<string, number> = new Map([['a', 1]]);")).toEqual([]);
    expect(refused('const none = [] as const;\nexport const no = Object.freeze({});')).toEqual([]);
    expect(
      refused("export const bytes = { new: '0' };\nexport const pick = () => { const own = new Map(); own.set(1, 2); return own; };"),
    ).toEqual([]);
    expect(within({ 'programs/cli/cli.ts': 'let asked = false;' })).toEqual([]);
  });
});

describe('a function', () => {
  it('is a sentence, at most 30 lines', () => {
    expect(within({ 'functions/knock.ts': '//\n'.repeat(30) })).toEqual([]);
    expect(within({ 'functions/knock.ts': '//\n'.repeat(31) })).toEqual([
      'functions/knock.ts:31 has 31 lines: a function is a sentence, at most 30 lines',
    ]);
  });
});

describe('what the compiler is told to believe', () => {
  const counted = (text: string) => castsIn([parse('lib/nodes/node.ts', text)], 'lib/');

  it('becomes less: whoever lowers a count writes the new one here', () => {
    const most = { as: 399, nonNull: 503, stateOf: 83, literal: 30 };
    const casts = castsIn(
      [...sources].map(([path, text]) => parse(path, text)),
      'lib/',
    );
    for (const [kind, count] of Object.entries(casts)) expect(count, `${kind}: write the new count`).toBe(most[kind as keyof typeof most]);
  });

  it('is counted in each of its forms', () => {
    expect(counted('const a = b as Node;\nconst c = d as const;\nconst e = f!.g;')).toEqual({ as: 1, nonNull: 1, stateOf: 0, literal: 0 });
    expect(counted("stateOf<Node>(row, now);\nstateOf(row, now);\nread(shell, { noun: 'node', id });")).toEqual({
      as: 0,
      nonNull: 0,
      stateOf: 1,
      literal: 1,
    });
  });
});
