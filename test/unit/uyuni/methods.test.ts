import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commonWrites, judge, openWritesIn, readsUnmarked } from '../../../lib/uyuni/api/common-writes.ts';
import { methods } from '../../../lib/uyuni/api/methods.ts';
import { contentKinds, kindOfMethod } from '../../../lib/uyuni/content/kinds.ts';
import { copiedKinds } from '../../../programs/agent/uyuni/content/kinds.ts';

const forms = [...methods.values()].flat();

describe('the table of methods', () => {
  it('has every method of version 29, and fits into 150 KB', () => {
    expect({ methods: methods.size, forms: forms.length, reads: forms.filter(({ reads }) => reads).length }).toEqual({
      methods: 778,
      forms: 948,
      reads: 377,
    });
    expect(new Set([...methods.keys()].map((name) => name.slice(0, name.lastIndexOf('.')))).size).toBe(66);
    expect(statSync(join(import.meta.dirname, '../../../lib/uyuni/api/methods.json')).size).toBeLessThan(150_000);
  });

  it('has a routing class for each', () => {
    const counted = Object.fromEntries([...Map.groupBy(forms, ({ routing }) => routing)].map(([routing, { length }]) => [routing, length]));
    expect(counted).toEqual({
      ...{ GW: 11, FM: 72, CR: 197, CW: 356, R1: 191, RN: 47, XS: 2, A1: 5, AN: 4, M1: 6, PL: 10, NL: 9, NR: 9, RC: 8, AC: 19, FW: 2 },
    });
  });

  it('keeps names and types of parameters, with structs whole, and the names in JSON where they differ', () => {
    expect(methods.get('activationkey.addChildChannels')).toEqual([
      {
        routing: 'CW',
        reads: false,
        auth: 'session',
        params: [
          { name: 'key', type: 'string' },
          { name: 'childChannelLabels', type: 'array<string>' },
        ],
        jsonNames: ['key', 'childChannelLabels'],
      },
    ]);
    expect(methods.get('system.setPillar')?.map(({ params }) => params[0])).toEqual([
      { name: 'systemId', type: 'int' },
      { name: 'minionId', type: 'string' },
    ]);
    expect(methods.get('formula.setFormulasOfServer')?.[0]).toEqual({
      routing: 'R1',
      reads: false,
      auth: 'session',
      params: [
        { name: 'sid', type: 'int' },
        { name: 'formulas', type: 'array<string>' },
      ],
      jsonNames: ['systemId', 'formulas'],
    });
    const types = forms.flatMap(({ params }) => params.map(({ type }) => type));
    expect(types).toContain('struct{kernel_options:string, post_kernel_options:string}');
    expect(forms.every(({ params }) => params.every(({ name, type }) => name !== '' && type !== ''))).toBe(true);
  });

  it('tells the gateway apart from what needs no session', () => {
    expect(methods.get('auth.login')?.map(({ auth }) => auth)).toEqual(['none', 'none']);
    expect(methods.get('proxy.isProxy')?.[0]?.auth).toBe('clientcert');
  });
});

describe('whether a call changes common content', () => {
  it('is so for every method of that class, however it is spelled', () => {
    const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const all = [...methods].filter(([, [form]]) => form?.routing === 'CW').map(([name]) => name);
    expect(all.filter((name) => judge(name) !== 'common')).toEqual([...readsUnmarked]);
    expect(commonWrites).toHaveLength(all.length - readsUnmarked.length);
    expect(commonWrites.filter((name) => judge(snake(name)) !== 'common' || judge(name.toUpperCase()) !== 'common')).toEqual([]);
  });

  it('is not so for any other method', () => {
    const others = [...methods].filter(([, all]) => all.every(({ routing }) => routing !== 'CW')).map(([name]) => name);
    expect(others.filter((name) => judge(name) !== 'open')).toEqual([]);
  });

  it('is unknown for a method that the table does not have beside those that change it', () => {
    expect(['channel.software.mirrorAnew', 'taskomatic.scheduleBunch', 'taskomatic.org.scheduleRepoSync'].map(judge)).toEqual(
      Array(3).fill('unknown'),
    );
    expect(['channel.software.listAnew', 'channel.software.list_anew', 'system.frobnicate', 'nothing', ''].map(judge)).toEqual(
      Array(5).fill('open'),
    );
    // A name that only begins like one that reads.
    expect(judge('channel.software.listenAnew')).toBe('unknown');
  });

  it('leaves those out that a namespace has besides', () => {
    expect(openWritesIn('systemgroup')).toEqual(['addOrRemoveSystems']);
    expect(openWritesIn('maintenance')).toContain('assignScheduleToSystems');
  });
});

describe('the kinds of common content', () => {
  it('say as which documents each is copied, and of each that is not copied whole why', () => {
    expect(contentKinds.flatMap(({ copied }) => copied).sort()).toEqual(copiedKinds.map(({ kind }) => kind).sort());
    for (const { kind, copied, notCopied } of contentKinds) expect([kind, copied.length > 0 || notCopied !== '']).toEqual([kind, true]);
  });

  it('have every method that changes it, each in one kind', () => {
    expect(commonWrites.filter((name) => kindOfMethod(name) === undefined)).toEqual([]);
    const all = contentKinds.flatMap(({ namespaces }) => namespaces);
    expect(new Set(all).size).toBe(all.length);
    expect(new Set(contentKinds.map(({ kind }) => kind)).size).toBe(contentKinds.length);
  });
});
