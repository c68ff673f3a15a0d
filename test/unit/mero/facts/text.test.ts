import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseDocument, stringify } from 'yaml';
import { NotPlain } from '../../../../lib/mero/facts/text/fault.ts';
import { readPlain } from '../../../../lib/mero/facts/text/plain.ts';
import { generalCharsMax, readText } from '../../../../lib/mero/facts/text/text.ts';
import { writeText } from '../../../../lib/mero/facts/text/write.ts';

/** Words that YAML readers are known to disagree about, or that look like something else. */
const words = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '-',
    '- x',
    '?',
    ':',
    'a: b',
    'a:',
    '#',
    'x #y',
    '~',
    'null',
    'no',
    'true',
    '0',
    '-1',
    '0x1F',
    '0o17',
    '1e3',
    '.5',
    '.inf',
    '1_000',
  ),
  fc.constantFrom(
    '0@lo:12345:34:101',
    '10.0.0.1@tcp:12345:41:301',
    "it's",
    '"',
    '\\',
    '\n',
    '\t',
    '\u2028',
    '\u0000',
    '\u009b',
    '[',
    '{',
    '*a',
    '&a',
    '!t',
    '%x',
    '@',
    '`',
    '|',
    '>',
  ),
  fc.string({ maxLength: 12 }),
);
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
);
const keys = fc
  .oneof(fc.constantFrom('a', 'b', 'm0h_fqdn', 'null', 'Yes', '1', 'x y', '<<'), fc.string({ maxLength: 6 }))
  .filter((key) => key !== '__proto__');
const { value: values } = fc.letrec<{ value: unknown; list: unknown[]; mapping: object }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, words, numbers, fc.boolean(), fc.constant(null), tie('list'), tie('mapping')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  mapping: fc.dictionary(keys, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));
const roots = fc.oneof(fc.dictionary(keys, values, { minKeys: 1, noNullPrototype: true }), fc.array(values, { minLength: 1 }));

/** What the yaml package makes of a text; undefined when it has anything to say against it. */
function peer(text: string): { value: unknown } | undefined {
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'error' });
    return document.errors.length + document.warnings.length > 0 ? undefined : { value: document.toJS({ maxAliasCount: 100 }) };
  } catch {
    return undefined;
  }
}

const isNotPlain = (text: string): boolean => {
  try {
    readPlain(text);
    return false;
  } catch (error) {
    return error instanceof NotPlain;
  }
};

async function valueIn(text: string): Promise<unknown> {
  const read = await readText(text);
  if (!read.ok) throw new Error(`${read.place.line}:${read.place.column} ${read.says}`);
  return read.value;
}

describe('a text', () => {
  test('that was written is read again as it was, by us and by the yaml package', async () => {
    await fc.assert(
      fc.asyncProperty(roots, async (value) => {
        const text = writeText(value);
        expect(readPlain(text)).toEqual(await valueIn(text));
        expect(await valueIn(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(peer(text)).toEqual({ value: JSON.parse(JSON.stringify(value)) });
      }),
      { numRuns: 300 },
    );
  });

  test('in JSON is what JSON.parse makes of it, with any indentation', async () => {
    await fc.assert(
      fc.asyncProperty(roots, fc.constantFrom(0, 2, '\t'), async (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(isNotPlain(text) ? JSON.parse(text) : readPlain(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('that the yaml package writes is read as it reads it', async () => {
    await fc.assert(
      fc.asyncProperty(roots, fc.constantFrom({}, { lineWidth: 0 }, { collectionStyle: 'flow' as const }), async (value, options) => {
        const text = stringify(value, options);
        expect(await valueIn(text)).toEqual(peer(text)?.value);
      }),
      { numRuns: 300 },
    );
  });

  test('of anything means what the yaml package says, or is left to it', () => {
    const bits = fc.constantFrom(
      'a',
      'b:',
      ': ',
      '- ',
      '-',
      ' ',
      '  ',
      '\n',
      '\n  ',
      '\n- ',
      '\na: ',
      '#',
      ' #',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ',',
      '1',
      '0x1',
      '.5',
      '~',
      'null',
      '\\',
      '|',
      '&a ',
      '*a',
      '!',
      '?',
      '? ',
      '---',
      '\n---\n',
      '...',
      '%',
      '@',
      '\t',
      '=',
      '<<: ',
    );
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 14 }), (parts) => {
        const text = parts.join('');
        let value: unknown;
        try {
          value = readPlain(text);
        } catch (error) {
          if (error instanceof NotPlain || peer(text) === undefined) return;
          throw error;
        }
        expect({ text, value }).toEqual({ text, ...peer(text) });
      }),
      { numRuns: 3_000 },
    );
  });

  test('of anything at all is read or refused with a place, and soon', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        const read = await readText(text);
        if (!read.ok) expect([read.place.line > 0, read.place.column > 0, read.says.length > 0]).toEqual([true, true, true]);
      }),
    );
  });
});

describe('what is wrong with a text', () => {
  it.each([
    ['a bracket that is not closed', 'a: [1, 2\nb: 3\n', { line: 2, column: 1 }, /./],
    ['a tab that indents', 'a:\n\tb: 1\n', { line: 2, column: 1 }, /[Tt]ab/],
    ['an unknown tag', 'a: 1\nb: !secret x\n', { line: 2, column: 4 }, /tag/],
    ['an anchor that contains itself', 'a: &a\n  b: *a\n', { line: 2, column: 6 }, /the alias a is within its own anchor/],
    ['an alias of nothing', 'a: 1\nb: *c\n', { line: 2, column: 4 }, /c/],
    ['a key that stands twice', 'a: 1\nb: 2\na: 3\n', { line: 3, column: 1 }, /the key a occurs twice/],
    ['a key that stands twice in JSON', '{"a": 1,\n "a": 2}', { line: 2, column: 2 }, /the key a occurs twice/],
    ['a key that stands twice beside an anchor', 'x: &x 1\na: 1\na: 3\n', { line: 3, column: 1 }, /the key a occurs twice/],
    ['a second document', 'a: 1\n---\nb: 2\n', { line: 2, column: 1 }, /document/],
    ['__proto__', '__proto__: {a: 1}\n', { line: 1, column: 1 }, /__proto__ is not allowed as a key/],
    ['what is set as a binary', 'a: !!binary aGk=\n', { line: 1, column: 13 }, /./],
    ['nothing', '', { line: 1, column: 1 }, /no content/],
    ['comments alone', '# nothing\n\n', { line: 1, column: 1 }, /no content/],
    ['brackets in brackets', '['.repeat(100_000), { line: 1, column: 65 }, /deeper than 64/],
    ['dashes after dashes', `${'- '.repeat(100)}x`, { line: 1, column: 129 }, /deeper than 64/],
  ])('%s › is said, with line and column', async (_, text, place, says) => {
    const read = await readText(text);
    expect(read).toMatchObject({ ok: false, place, says: expect.stringMatching(says) });
  });

  it('aliases that multiply are refused before they fill the memory', async () => {
    const laughs = Array.from(
      { length: 12 },
      (_, n) => `a${n}: &a${n} [${n ? Array.from({ length: 10 }, () => `*a${n - 1}`).join(', ') : '1'}]`,
    );
    expect(await readText(laughs.join('\n'))).toMatchObject({ ok: false, says: expect.stringContaining('aliases make more than') });
  });

  it('a few aliases are what they stand for', async () => {
    expect(await valueIn('a: &a [1, 2]\nb: *a\nc: >\n  some\n  words\n')).toEqual({ a: [1, 2], b: [1, 2], c: 'some words\n' });
  });

  it('a large text must be plain, and is told where it is not', async () => {
    const text = `${'a: 1\n'.replace('a', 'b')}c: &x 1\n#${' '.repeat(generalCharsMax)}`;
    expect(await readText(text)).toMatchObject({ ok: false, place: { line: 2, column: 4 }, says: expect.stringContaining('256 KiB') });
  });

  it('lines may end as on Windows, and the text begin with a mark', async () => {
    expect(await valueIn('\ufeffa: 1\r\nb:\r\n- 2\r\n')).toEqual({ a: 1, b: [2] });
  });

  it.each([
    ['a plain text', 'a:\n- b: 1\n  c: [x, y]\n- d\n'],
    ['a text with an anchor', 'a:\n- b: &b 1\n  c: [x, y]\n- d\n'],
  ])('%s › things in it are found', async (_, text) => {
    const read = await readText(text);
    if (!read.ok) throw new Error(read.says);
    const at = (...path: PropertyKey[]) => Object.values(read.placeOf(path)).join(':');
    expect([at(), at('a'), at('a', 0, 'c'), at('a', 0, 'no', 'where'), at('a', 1)]).toEqual(['1:1', '1:1', '3:3', '2:3', '4:3']);
    expect(at('a', 0, 'c', 1)).toMatch(/^3:\d+$/);
  });
});
