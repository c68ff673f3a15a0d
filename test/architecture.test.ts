import { describe, expect, it } from 'vitest';
import { shown, violations } from './architecture/check.ts';
import { readSources, type Sources } from './architecture/sources.ts';

const sources = readSources();

/** The project as it would be with this text at the beginning of one of its files, and what that breaks. */
const withEdit = (path: string, text: string): string[] => violations(new Map([[path, `${text}\n${sources.get(path) ?? ''}`]])).map(shown);
/** What a project of these files alone breaks. */
const within = (files: Readonly<Record<string, string>>): string[] =>
  violations(new Map(Object.entries(files)) satisfies Sources).map(shown);

describe('the architecture', () => {
  it('holds in every file of the project', () => {
    expect(violations(sources).map(shown)).toEqual([]);
    for (const file of [
      'functions/sweep.ts',
      'lib/nodes/decide.ts',
      'lib/dispatch.ts',
      'local/main.ts',
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
    expect(withEdit('lib/nodes/lease.ts', 'const at = () =>\n  new Date();')).toEqual([
      `lib/nodes/lease.ts:2 uses new Date(), a clock: ${why}`,
    ]);
    expect(withEdit('lib/zones/place.ts', 'const pick = () => Math.random();')).toEqual([
      `lib/zones/place.ts:1 uses Math.random, chance: ${why}`,
    ]);
    expect(withEdit('lib/doors/settings.ts', 'const port = process.env.PORT;')).toEqual([
      `lib/doors/settings.ts:1 uses process.env, the environment: ${why}`,
    ]);
    expect(withEdit('lib/sweep/sweep.ts', 'const wait = () => setTimeout(() => {}, 1);')).toEqual([
      `lib/sweep/sweep.ts:1 uses setTimeout, a timer: ${why}`,
    ]);
    expect(withEdit('lib/runtime/apply.ts', "import { setTimeout as sleep } from 'node:timers/promises';")).toEqual([
      'lib/runtime/apply.ts:1 imports node:timers/promises, a timer: time comes in as a value, by the shell',
      `lib/runtime/apply.ts:1 uses setTimeout, a timer: ${why}`,
    ]);
    expect(withEdit('lib/doors/knock.ts', "import { randomUUID } from 'node:crypto';")).toEqual([
      `lib/doors/knock.ts:1 uses randomUUID, chance: ${why}`,
    ]);
  });

  it('is what a shell, a host and a program are for, and a moment that was given is a value', () => {
    const clock = 'const now = () => Date.now();';
    expect(within({ 'lib/runtime/aws-shell.ts': clock, 'local/shell.ts': clock, 'agent/main.ts': clock })).toEqual([]);
    expect(within({ 'lib/nodes/view.ts': 'export const iso = (at: number) => new Date(at).toISOString();' })).toEqual([]);
  });
});

describe('imports', () => {
  it('keep an AWS SDK out of functions and doors', () => {
    const sdk = "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';";
    expect(withEdit('functions/sweep.ts', sdk)).toEqual([
      'functions/sweep.ts:1 imports @aws-sdk/client-dynamodb: a function is a sentence that names a door, a schedule or a report; it holds no adapter',
      'functions/sweep.ts:1 imports @aws-sdk/client-dynamodb: an AWS SDK is in adapters only, so that everything else runs anywhere',
    ]);
    expect(withEdit('lib/table/memory.ts', sdk)).toEqual([
      'lib/table/memory.ts:1 imports @aws-sdk/client-dynamodb: an AWS SDK is in adapters only, so that everything else runs anywhere',
    ]);
    expect(withEdit('lib/doors/zones.ts', "import { dynamoTable } from '../table/dynamo.ts';")).toHaveLength(2);
  });

  it('keep slices apart: schemas are read, decisions are not', () => {
    expect(within({ 'lib/clients/decide.ts': "import type { Node } from '../nodes/node.ts';" })).toEqual([]);
    expect(within({ 'lib/clients/decide.ts': "import { decide } from '../nodes/decide.ts';" })).toEqual([
      'lib/clients/decide.ts:1 imports lib/nodes/decide.ts: a slice decides by itself: it meets other nouns through their schemas and events, and never sees where rows are kept',
      'lib/clients/decide.ts:1 imports the decide of lib/nodes/decide.ts: slices meet through events or in a plan',
    ]);
    expect(within({ 'lib/nodes/view.ts': "import { decideHost } from '../hosts/host.ts';" })).toEqual([
      'lib/nodes/view.ts:1 imports the decide of lib/hosts/host.ts: slices meet through events or in a plan',
    ]);
    expect(within({ 'lib/nodes/node.ts': "export type { Row } from '../table/table.ts';" })).toHaveLength(1);
  });

  it('let only dispatch know the decide of more than one noun', () => {
    const both = "import { decide } from '../nodes/decide.ts';\nimport { decide as decideClient } from '../clients/decide.ts';";
    expect(within({ 'lib/doors/nodes.ts': both })).toEqual([
      'lib/doors/nodes.ts:2 asks nodes and clients to decide: only lib/dispatch.ts knows the decide of more than one noun',
    ]);
    expect(within({ 'lib/dispatch.ts': both.replaceAll('../', './') })).toEqual([]);
  });

  it('are seen as types, as re-exports and when they are computed', () => {
    const runtime = 'the shell carries out what any noun decides, and so knows none of them';
    expect(within({ 'lib/runtime/apply.ts': "import type { Node } from '../nodes/node.ts';" })).toEqual([
      `lib/runtime/apply.ts:1 imports lib/nodes/node.ts: ${runtime}`,
    ]);
    expect(within({ 'lib/runtime/apply.ts': "export * from '../doors/zones.ts';" })).toEqual([
      `lib/runtime/apply.ts:1 imports lib/doors/zones.ts: ${runtime}`,
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

  it('make no circle in lib', () => {
    expect(within({ 'lib/zones/plan.ts': "import './place.ts';", 'lib/zones/place.ts': "import type { P } from './plan.ts';" })).toEqual([
      'lib/zones/place.ts:1 closes a circle of imports: lib/zones/plan.ts → lib/zones/place.ts → lib/zones/plan.ts',
    ]);
  });
});

describe('mutable state of a module', () => {
  const because = 'a module remembers nothing, because one import serves many environments; caches live on the shell';
  const refused = (text: string): string[] => within({ 'lib/doors/zones.ts': text });

  it('is refused in lib and in functions, in every form', () => {
    expect(withEdit('lib/doors/zones.ts', 'const cache = new Map<string, number>();')).toEqual([
      `lib/doors/zones.ts:1 cache is a Map that can be added to: ${because}`,
    ]);
    expect(withEdit('functions/sweep.ts', 'let runs = 0;')).toEqual([`functions/sweep.ts:1 let runs: ${because}`]);
    expect(refused('export var zone;')).toEqual([`lib/doors/zones.ts:1 var zone: ${because}`]);
    expect(refused('\nexport const seen = [];')).toEqual([
      `lib/doors/zones.ts:2 seen is an empty list, of use only to be filled: ${because}`,
    ]);
    expect(refused('const byName: Record<string, number> = {};')).toEqual([
      `lib/doors/zones.ts:1 byName is an empty object, of use only to be filled: ${because}`,
    ]);
    expect(refused('const all = { a: 1 };\nexport const set = (n: number) => { all.a = n; };')).toEqual([
      `lib/doors/zones.ts:1 all is changed in place: ${because}`,
    ]);
    expect(refused('const ring = [1, 2];\nexport const turn = () => ring.push(ring.shift()!);')).toHaveLength(1);
    expect(refused('const next = (() => { let n = 0; return () => n++; })();')).toEqual([
      `lib/doors/zones.ts:1 next is made by a function that may keep something: ${because}`,
    ]);
    expect(refused('const word = /a+/g;')).toEqual([`lib/doors/zones.ts:1 word is a pattern that remembers where it was: ${because}`]);
    expect(refused('export class Zones { static count = 0; }')).toEqual([
      `lib/doors/zones.ts:1 a static field that can be set: ${because}`,
    ]);
  });

  it('is not what a constant is that nobody can change', () => {
    expect(refused("const names: ReadonlyMap<string, number> = new Map([['a', 1]]);")).toEqual([]);
    expect(refused('const none = [] as const;\nexport const no = Object.freeze({});')).toEqual([]);
    expect(
      refused("export const bytes = { new: '0' };\nexport const pick = () => { const own = new Map(); own.set(1, 2); return own; };"),
    ).toEqual([]);
    expect(within({ 'cli/cli.ts': 'let asked = false;' })).toEqual([]);
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
