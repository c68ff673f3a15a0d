import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectAnswers } from '../../../../lib/uyuni/merge/collect.ts';
import { jsonDocuments } from '../../../../lib/uyuni/merge/documents.ts';
import type { ClusterIdOf, IdPath } from '../../../../lib/uyuni/merge/ids.ts';
import type { MergeLimits } from '../../../../lib/uyuni/merge/limits.ts';
import { MergeFailed, mergeArrays, passAnswer } from '../../../../lib/uyuni/merge/merge.ts';
import type { NodeAnswer, NodeEnd } from '../../../../lib/uyuni/merge/node-answer.ts';
import { answers, cutAt, hangs, textOf } from './documents.ts';

const form = jsonDocuments;
const ids: readonly IdPath[] = [{ kind: 'system', path: '[].id' }];
/** Ids above 99 are not known. */
const from =
  (first: number): ClusterIdOf =>
  (_, localId) =>
    localId > 99 ? undefined : first + localId;
const listOf = (...elements: readonly string[]): string => `{"success":true,"result":[${elements.join(',')}]}`;
const system = (id: number): string => `{"id":${id},"name":"s${id}"}`;

async function merged(
  nodes: readonly NodeAnswer[],
  limits: Partial<MergeLimits> = {},
): Promise<{ text: string; ends: readonly NodeEnd[] }> {
  const { body, ends } = mergeArrays(nodes, { form, ids, limits });
  return { text: await textOf(body), ends: await ends };
}
async function passed(document: string, paths: readonly IdPath[] = ids): Promise<string> {
  const { body } = passAnswer(answers('a', [document], { clusterIdOf: from(1_000) }), { form, ids: paths });
  try {
    return await textOf(body);
  } catch (error) {
    if (!(error instanceof MergeFailed)) throw error;
    return `${error.end.code}: ${error.end.text}`;
  }
}
/** What became of the only node of a merge. */
const endOf = async (document: string | Uint8Array, limits: Partial<MergeLimits> = {}) =>
  (await merged([answers('a', [document], { clusterIdOf: from(1_000) })], limits)).ends[0];

describe('a merge of arrays in JSON', () => {
  it('has the elements of all nodes in their order, with ids of the cluster, and leaves out what it does not know', async () => {
    const nodes = [
      answers('a', [listOf(system(1), system(2))], { clusterIdOf: from(1_000) }),
      answers('b', [listOf()], { clusterIdOf: from(2_000) }),
      answers('c', [listOf(system(100), system(3), system(101))], { clusterIdOf: from(3_000) }),
    ];
    expect(await merged(nodes)).toEqual({
      text: '{"success":true,"result":[{"id":1001,"name":"s1"},{"id":1002,"name":"s2"},{"id":3003,"name":"s3"}]}',
      ends: [
        { node: 'a', ok: true, elements: 2, leftOut: 0 },
        { node: 'b', ok: true, elements: 0, leftOut: 0 },
        { node: 'c', ok: true, elements: 1, leftOut: 2 },
      ],
    });
  });

  it('keeps elements as they were written, whatever stands between them', async () => {
    const odd =
      '{ "success" : true,\n "extra": [{"id": 7}, null], "result": [ {"id" : 1, "n": 1.0, "t": "\\u00e4ä\\"]}"} , "x" ,-1e9,[ ] ] }';
    expect((await merged([answers('a', [odd], { clusterIdOf: from(10) }), answers('b', [listOf('5')])])).text).toBe(
      '{"success":true,"result":[{"id" : 11, "n": 1.0, "t": "\\u00e4ä\\"]}"},"x",-1e9,[ ],5]}',
    );
  });

  it('is what a merge of trees would be, for any values, cut anywhere', async () => {
    const list = fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(400), { maxLength: 8 }), async (lists, cuts) => {
        const nodes = lists.map((one, at) => answers(`n${at}`, cutAt(Buffer.from(JSON.stringify({ success: true, result: one })), cuts)));
        const { text, ends } = await merged(nodes);
        expect(text).toBe(JSON.stringify({ success: true, result: lists.flat() }));
        expect(ends.every((end, at) => end.ok && end.elements === lists[at]?.length)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('rewrites the same ids wherever the bytes are cut', async () => {
    const document = Buffer.from('{"success":true,"result":[{"id":"12","a":{"id":7}}, {"id":99}  ,{"id":100},{"id":"a"},{"id":0}]}');
    for (let cut = 1; cut < document.length; cut++) {
      const nodes = [answers('a', [document.subarray(0, cut), document.subarray(cut)], { clusterIdOf: from(1_000) })];
      expect((await merged(nodes)).text).toBe('{"success":true,"result":[{"id":"1012","a":{"id":7}},{"id":1099},{"id":"a"},{"id":1000}]}');
    }
  });

  it('loses a node alone that answers with a failure, nonsense, half an answer, or not at all', async () => {
    const late = new AbortController();
    const nodes = [
      answers('failure', ['{"success":false,"message":"no such channel: \\u00e4"}']),
      answers('nonsense', ['<html>']),
      answers('half', ['{"success":true,"result":[{"id":1},{"id":']),
      hangs('hangs', '{"success":true,"result":[{"id":2}', { deadline: { signal: late.signal } }),
      answers('good', [listOf('{"id":3}')]),
    ];
    setTimeout(() => late.abort(), 20);
    const { text, ends } = await merged(nodes);
    expect(text).toBe('{"success":true,"result":[{"id":1},{"id":2},{"id":3}]}');
    expect(ends.map((end) => (end.ok ? 'ok' : end.code))).toEqual(['fault', 'malformed', 'cut-off', 'deadline', 'ok']);
    expect(ends[0]).toMatchObject({ fault: { code: -1, text: 'no such channel: ä' } });
  });

  it('is the failure of the first, if all fail', async () => {
    const { text } = await merged([answers('a', ['<html>']), answers('b', ['{"success":false,"message":"a \\"b\\""}'])]);
    expect(text).toBe('{"success":false,"message":"a \\"b\\""}');
  });

  it.each([
    ['', 'cut-off'],
    ['[]', 'malformed'],
    ['5', 'malformed'],
    ['{"result":[]}', 'malformed'],
    ['{"success":true,"result":[],"result":[]}', 'malformed'],
    ['{"success":true,"result":[1,]}', 'malformed'],
    ['{"success":true,"result":[1 2]}', 'malformed'],
    ['{"success":true,"result":[01]}', 'malformed'],
    ['{"success":true,"result":[1}}', 'malformed'],
    ['{"success":true,"result":["\\xab", 1]}', 'malformed'],
    ['{"success":true,"result":["a\nb"]}', 'malformed'],
    ["{'success':true}", 'malformed'],
    ['{"success":true,"result":[]} x', 'malformed'],
    ['{"success":true,"result":[]', 'cut-off'],
    ['{"success":true,"result":{}}', 'not-an-array'],
    ['{"success":true}', 'not-an-array'],
    [`{"success":true,"result":[${'['.repeat(100)}`, 'refused'],
    [`{"success":true,"result":[{"${'n'.repeat(2_000)}":1}]}`, 'too-large'],
    [`{"success":false,"message":"${'m'.repeat(300_000)}"}`, 'too-large'],
    ['{"success":"yes","result":[]}', 'malformed'],
  ])('does not take %s', async (document, code) => {
    expect(await endOf(document)).toMatchObject({ ok: false, code });
  });

  it('does not take bytes that are no UTF-8, nor an element or an answer that is too large', async () => {
    const broken = Buffer.from('{"success":true,"result":[1,"ab"]}');
    broken[29] = 0xc3;
    expect(await endOf(broken)).toMatchObject({ code: 'malformed', elements: 1 });
    const long = listOf(`"${'x'.repeat(100)}"`);
    expect(await endOf(long, { answerBytesMax: 50 })).toMatchObject({ code: 'too-large' });
    expect(await endOf(long.slice(0, -3), { elementBytesMax: 50 })).toMatchObject({ code: 'too-large' });
  });
});

describe('an answer in JSON that passes', () => {
  it('is written as it was, but for ids', async () => {
    expect(await passed('{"success":true,"result":{"id":5,"n":1.0}}', [{ kind: 'system', path: '.id' }])).toBe(
      '{"success":true,"result":{"id":1005,"n":1.0}}',
    );
    expect(await passed('{"success":true,"result":7}', [{ kind: 'system', path: '' }])).toBe('{"success":true,"result":1007}');
    expect(await passed('{"success":true,"result":"a\\nb"}')).toBe('{"success":true,"result":"a\\nb"}');
    expect(await passed(listOf(system(1)))).toBe('{"success":true,"result":[{"id":1001,"name":"s1"}]}');
    expect(await passed('{"success":true}')).toBe('{"success":true}');
  });

  it('is the failure of its node, and fails for an id that Muster does not know', async () => {
    expect(await passed('{"success":false,"message":"no"}')).toBe('{"success":false,"message":"no"}');
    expect(await passed('{"success":true,"result":{"id":500}}', [{ kind: 'system', path: '.id' }])).toMatch(/^unknown-id/);
  });
});

describe('answers in JSON that are read into trees', () => {
  it('have ids of the cluster, and failures', async () => {
    const nodes = [
      answers('a', ['{"success":true,"result":{"x":5}}'], { clusterIdOf: from(1_000) }),
      answers('b', ['{"success":false,"message":"no"}']),
    ];
    const { answers: found, ends } = await collectAnswers(nodes, { form, ids: [{ kind: 'system', path: '.*' }] });
    expect(found).toEqual([{ node: 'a', value: { x: 1_005 } }]);
    expect(ends[1]).toMatchObject({ ok: false, code: 'fault', text: 'no' });
  });
});
