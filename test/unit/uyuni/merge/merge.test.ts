import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterIdOf, IdPath } from '../../../../lib/uyuni/merge/ids.ts';
import { MergeFailed, type MergeOptions, mergeArrays, passAnswer } from '../../../../lib/uyuni/merge/merge.ts';
import type { NodeAnswer, NodeEnd } from '../../../../lib/uyuni/merge/node-answer.ts';
import { readResponse } from '../../../../lib/uyuni/xml-rpc/read.ts';
import type { Value } from '../../../../lib/uyuni/xml-rpc/value.ts';
import { faultText, responseText } from '../../../../lib/uyuni/xml-rpc/write.ts';
import { answers, cutAt, documentOf, hangs, systemText, textOf, value } from './documents.ts';

const ids: readonly IdPath[] = [{ kind: 'system', path: '[].id' }];
/** Ids of a node in the cluster: ids above 99 are not known. */
const from =
  (first: number): ClusterIdOf =>
  (_, localId) =>
    localId > 99 ? undefined : first + localId;

/** What a merge answers, and how its nodes ended. */
async function merge(nodes: readonly NodeAnswer[], options: MergeOptions = {}): Promise<{ value: Value; ends: readonly NodeEnd[] }> {
  const { body, ends } = mergeArrays(nodes, { ids, ...options });
  const response = readResponse(await textOf(body));
  return { value: response.ok ? response.value : { ...response.fault }, ends: await ends };
}
const idsIn = (one: Value): unknown => (one as readonly { readonly id: Value }[]).map(({ id }) => id);
const systems = (...of: readonly number[]): string => of.map((id) => systemText(id)).join('');
const ok = (node: string, elements: number, leftOut = 0): NodeEnd => ({ node, ok: true, elements, leftOut });

describe('a merge of arrays', () => {
  it('has the elements of all nodes in their order, with ids of the cluster, and says what it left out', async () => {
    const nodes = [
      answers('a', [documentOf(systems(1, 2))], { clusterIdOf: from(1_000) }),
      answers('b', [documentOf('')], { clusterIdOf: from(2_000) }),
      answers('c', [documentOf(systems(1, 100, 3))], { clusterIdOf: from(3_000) }),
    ];
    const { value: found, ends } = await merge(nodes);
    expect(idsIn(found)).toEqual([1_001, 1_002, 3_001, 3_003]);
    expect(ends).toEqual([ok('a', 2), ok('b', 0), ok('c', 2, 1)]);
    expect(await merge([])).toEqual({ value: [], ends: [] });
  });

  it('is what a merge of trees would be, for any values, cut anywhere', async () => {
    const list = fc.array(value, { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(list, { maxLength: 4 }), fc.array(fc.nat(800), { maxLength: 6 }), async (lists, cuts) => {
        const nodes = lists.map((one, at) => answers(`n${at}`, cutAt(Buffer.from(responseText(one)), cuts)));
        const ends = lists.map((one, at) => ok(`n${at}`, one.length));
        expect(await merge(nodes)).toEqual({ value: lists.flat(), ends });
        const held = await merge(nodes, { limits: { aheadBytesMax: 100 } });
        const sorted = (all: readonly Value[]): string[] => all.map((one) => responseText(one)).sort();
        expect({ ...held, value: sorted(held.value as readonly Value[]) }).toEqual({ value: sorted(lists.flat()), ends });
      }),
      { numRuns: 200 },
    );
  });

  it('loses a node alone that answers with a fault, nonsense, half an answer, or not at all', async () => {
    const late = new AbortController();
    const nodes = [
      answers('fault', [faultText({ code: -210, text: 'no such channel' })]),
      answers('nonsense', ['<html>']),
      answers('half', [documentOf(systems(1, 2, 3)).slice(0, -220)]),
      { node: 'refuses', open: () => Promise.reject(new Error('connect ECONNREFUSED')) },
      hangs('hangs', documentOf(systems(4, 5)).slice(0, -200), { deadline: { signal: late.signal } }),
      answers('lists nothing', [responseText(1)]),
      answers('well', [documentOf(systems(7))]),
    ];
    setImmediate(() => late.abort());
    const { value: found, ends } = await merge(nodes);
    expect(idsIn(found)).toEqual([1, 2, 4, 7]);
    expect(ends).toEqual([
      {
        node: 'fault',
        ok: false,
        code: 'fault',
        text: 'no such channel',
        fault: { code: -210, text: 'no such channel' },
        elements: 0,
        leftOut: 0,
      },
      { node: 'nonsense', ok: false, code: 'malformed', text: 'it does not begin as an answer of XML-RPC', elements: 0, leftOut: 0 },
      { node: 'half', ok: false, code: 'cut-off', text: expect.stringMatching(/^it ends within its value/), elements: 2, leftOut: 0 },
      { node: 'refuses', ok: false, code: 'lost', text: 'connect ECONNREFUSED', elements: 0, leftOut: 0 },
      { node: 'hangs', ok: false, code: 'deadline', text: 'it did not answer in time', elements: 1, leftOut: 0 },
      { node: 'lists nothing', ok: false, code: 'not-an-array', text: 'its value is not an array', elements: 0, leftOut: 0 },
      ok('well', 1),
    ]);
  });

  it('is a document of what came, wherever the answer of a node ends', async () => {
    const document = documentOf(systems(1, 2)).trimEnd();
    for (let end = 0; end < document.length; end++) {
      const { value: found, ends } = await merge([answers('cut', [document.slice(0, end)]), answers('well', [documentOf(systems(9))])]);
      expect(idsIn(found)).toEqual([
        ...(end < document.indexOf('<value><struct>', 200) ? [] : [1]),
        ...(end < document.indexOf('</data>') ? [] : [2]),
        9,
      ]);
      expect(ends.map((one) => one.ok)).toEqual([false, true]);
    }
  });

  it('answers with a fault when every node has failed: one of a node, or what became of each', async () => {
    const fault = answers('b', [faultText({ code: -210, text: 'no such channel' })]);
    expect((await merge([answers('a', ['']), fault])).value).toEqual({ code: -210, text: 'no such channel' });
    expect((await merge([answers('a', ['']), answers('b', ['x'])])).value).toEqual({
      code: -1,
      text: 'no node answered: a: it is empty; b: it does not begin as an answer of XML-RPC',
    });
    const odd: NodeAnswer = { node: 'a', open: () => Promise.reject(new Error('said \u0007')) };
    expect((await merge([odd])).value).toEqual({ code: -1, text: 'no node answered: a: said ?' });
    const own = { faultOf: () => ({ code: 7, text: 'none' }) };
    expect((await merge([answers('a', [''])], own)).value).toEqual({ code: 7, text: 'none' });
  });

  it('throws at the first failure if it is strict, before the first byte as long as answers are small', async () => {
    const nodes = [answers('a', [documentOf(systems(1))]), answers('b', ['<html>'])];
    const { body, ends } = mergeArrays(nodes, { strict: true });
    await expect(body[Symbol.asyncIterator]().next()).rejects.toThrow(new MergeFailed((await ends)[1] as never).message);
    expect(await ends).toMatchObject([{ ok: true }, { ok: false, code: 'malformed' }]);
    expect((await merge([nodes[0]!], { strict: true })).ends).toEqual([ok('a', 1)]);
  });

  it('passes on what is thrown by the translation of ids, as it is a defect', async () => {
    const broken = answers('a', [documentOf(systems(1))], {
      clusterIdOf: () => {
        throw new RangeError('a defect');
      },
    });
    await expect(merge([broken])).rejects.toThrow('a defect');
  });
});

describe('the flow of a merge', () => {
  /** A node of many parts, which notes how many were asked of it, and how it was held. */
  function large(node: string, parts: number, noted: string[]): NodeAnswer {
    const [begin = '', end = ''] = documentOf('|').split('|');
    return {
      node,
      open: async function* () {
        yield Buffer.from(begin);
        for (let part = 0; part < parts; part++) {
          noted.push(`${node}${part}`);
          yield Buffer.from(systemText(part, 'x'.repeat(1_000)));
        }
        yield Buffer.from(end);
      },
      deadline: {
        signal: new AbortController().signal,
        hold: () => noted.push(`${node} held`),
        resume: () => noted.push(`${node} resumed`),
      },
    };
  }

  it('reads each node ahead up to a bound, and not further than the client takes', async () => {
    const noted: string[] = [];
    const { body } = mergeArrays([large('a', 100, noted), large('b', 100, noted)], { limits: { aheadBytesMax: 10_000 } });
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(noted.filter((one) => one.startsWith('b'))).toEqual(['b0', 'b1', 'b2', 'b3', 'b4', 'b held']);
    expect(noted.filter((one) => /^a\d/.test(one)).length).toBeLessThan(8);
    let taken = 0;
    for (let next = await reader.next(); !next.done; next = await reader.next()) taken++;
    expect(taken).toBeGreaterThan(100);
    expect(noted.filter((one) => /\d/.test(one))).toHaveLength(200);
    expect(noted.filter((one) => one.endsWith('held')).length).toBe(noted.filter((one) => one.endsWith('resumed')).length);
  });

  it('does not have a large answer wait for a node before it that hangs', async () => {
    const noted: string[] = [];
    const late = new AbortController();
    const slow = hangs('slow', documentOf(systems(1)).slice(0, -100), { deadline: { signal: late.signal } });
    const { body, ends } = mergeArrays([slow, large('b', 100, noted)], { ids, limits: { aheadBytesMax: 10_000 } });
    let text = '';
    for await (const part of body) {
      text += Buffer.from(part).toString();
      if (noted.includes('b99')) late.abort();
    }
    expect((readResponse(text) as { value: readonly Value[] }).value).toHaveLength(100);
    expect(await ends).toMatchObject([{ ok: false, code: 'deadline', elements: 0 }, ok('b', 100)]);
  });

  it('ends the calls of all nodes when the client has gone', async () => {
    const gone = new AbortController();
    const given: unknown[] = [];
    const hanging = hangs('a', documentOf(systems(1)).slice(0, -100));
    const node: NodeAnswer = {
      ...hanging,
      open: (signal) => {
        signal.addEventListener('abort', () => given.push((signal.reason as Error).message));
        return hanging.open(signal);
      },
    };
    const byReturn = mergeArrays([answers('b', [documentOf(systems(1))]), node]);
    for await (const _ of byReturn.body) break;
    expect(await byReturn.ends).toMatchObject([ok('b', 1), { ok: false, code: 'given-up' }]);
    const bySignal = mergeArrays([node], { signal: gone.signal });
    setImmediate(() => gone.abort(new Error('gone')));
    await expect(textOf(bySignal.body)).rejects.toThrow('gone');
    expect(await bySignal.ends).toMatchObject([{ code: 'given-up' }]);
    expect(given).toEqual(['the merge ended before it', 'the merge ended before it']);
  });
});

describe('an answer that passes', () => {
  const pass = async (document: string, options: MergeOptions = {}): Promise<string> =>
    textOf(passAnswer(answers('a', [document], { clusterIdOf: from(1_000) }), { ids: [{ kind: 'system', path: '.id' }], ...options }).body);

  it('is of any type, with its ids rewritten and the rest as it was', async () => {
    const details =
      '<struct>\n<member><name>id</name><value><int>5</int></value></member><member><name>load</name><value><double>1.0</double></value></member></struct>';
    const passed = await pass(documentOf('').replace('<array><data></data></array>', details));
    expect(passed).toContain(`<value>${details.replace('>5<', '>1005<')}</value></param></params></methodResponse>`);
    expect(readResponse(passed)).toEqual({ ok: true, value: { id: 1_005, load: 1 } });
    expect(readResponse(await pass(responseText(7), { ids: [{ kind: 'action', path: '' }] }))).toEqual({ ok: true, value: 1_007 });
    expect(readResponse(await pass(documentOf(systems(1)), { ids }))).toMatchObject({ value: [{ id: 1_001 }] });
    expect(readResponse(await pass(responseText([])))).toEqual({ ok: true, value: [] });
  });

  it('is a fault as the node gave it, and a failure of the call if the node fails', async () => {
    const fault = { code: -208, text: 'no such system' };
    expect(readResponse(await pass(faultText(fault)))).toEqual({ ok: false, fault });
    await expect(pass(documentOf(systems(1)).slice(0, -100))).rejects.toThrow(MergeFailed);
    await expect(pass(responseText({ id: 100 }))).rejects.toThrow('a: system 100 of the server is not known to Muster');
  });
});
