import { readAddress } from '../../core/address.ts';
import { readNetwork } from '../../core/cidr.ts';
import { nearest } from '../../core/nearest.ts';
import { BadQuery, type Fix } from './bad-query.ts';
import { fieldNamed, fields, fieldWords, writtenAs } from './fields.ts';
import { colonOf, type Source, type Word } from './word.ts';

const someFields = 'a field such as name:, tag: or status:';

/** A field and a value that something else than a colon joins, spaces among it. */
const otherJoint = /^([A-Za-z][\w.-]*)(\s*)(!=|=>|=<|==|>=|<=|=|>|<|:)\s*([^\s()]*)/;

/**
 * What a word without a field was perhaps meant to be: `tag=db`, `ram>4GiB`, `tag :db`, or an address, which no machine
 * has as its name. Undefined for what may be a name.
 */
export function slipOfName(word: Word, { text }: Source): BadQuery | undefined {
  const [whole, written = '', space = '', joint, value = ''] = otherJoint.exec(text.slice(word.at)) ?? [];
  if (whole !== undefined && joint !== undefined) {
    const at = word.at + written.length + space.length;
    const name = fieldMeant(written);
    const fix =
      name !== undefined && value !== '' ? { from: word.at, to: word.at + whole.length, text: term(name, joint, value) } : undefined;
    const problem = joint === ':' ? `a space separates ${written} from its colon` : `${joint} follows ${written}, where a colon belongs`;
    return new BadQuery(text, { at, found: joint, problem, expected: `field:value, with ${someFields}`, fix });
  }
  const { at, text: found } = word;
  const before = text.slice(0, at).trimEnd();
  if (/^[kmgt]i?b$/i.test(found) && /\d$/.test(before)) {
    const fix = { from: before.length, to: at, text: '' };
    return new BadQuery(text, {
      at,
      found,
      problem: `a space separates ${found} from its number`,
      expected: 'the unit behind the number',
      fix,
    });
  }
  const field = fieldOfValue(found);
  if (field === undefined) return undefined;
  const fix = { from: at, to: at, text: `${field}:` };
  return new BadQuery(text, { at, found, problem: `${found} is no name`, expected: 'a field before it', fix });
}

/** `tag=db` is `tag:db`, `tag!=db` is `not tag:db`, and comparisons follow a colon. */
function term(name: string, joint: string, value: string): string {
  if (joint === '!=') return `not ${name}:${value}`;
  const comparison = joint === '=>' ? '>=' : joint === '=<' ? '<=' : /^[=:]/.test(joint) ? '' : joint;
  return `${name}:${comparison}${value}`;
}

const fieldMeant = (written: string): string | undefined =>
  fieldNamed(written)
    ? written
    : nearest(
        written.toLowerCase(),
        fieldWords.filter((word) => fieldNamed(word) !== undefined),
      );

/** The field that a value can only be of, by its shape. */
function fieldOfValue(text: string): string | undefined {
  if (readAddress(text) !== undefined || readNetwork(text)) return 'ip';
  if (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(text)) return 'mac';
  return /^([0-9a-f]{2}:?){31}[0-9a-f]{2}$/i.test(text) ? 'fp' : undefined;
}

/** Why what is before a colon is no field, and which one was perhaps meant. */
export function noField(word: Word, { text }: Source): BadQuery {
  const { at } = word;
  const end = word.chars[colonOf(word.chars)]?.at ?? at;
  const written = text.slice(at, end);
  const ofValue = fieldOfValue(word.text);
  if (ofValue !== undefined) {
    const fix = { from: at, to: at, text: `${ofValue}:` };
    return new BadQuery(text, { at, found: word.text, problem: `${word.text} has no field`, expected: `${ofValue}: before it`, fix });
  }
  if (written === '') return new BadQuery(text, { at, found: ':', problem: 'there is no field before the colon', expected: someFields });
  const [head = '', ...key] = written.split('.');
  const family = fields.find(({ name, key: takes }) => takes !== undefined && name === head.toLowerCase());
  if (family) {
    const isKeyBehind = key.length === 0 && /^[\w-]+:./.test(text.slice(end + 1, word.end));
    const fix = isKeyBehind ? { from: end, to: end + 1, text: '.' } : undefined;
    return new BadQuery(text, { at, found: written, problem: `${written} names no ${family.label}`, expected: writtenAs(family), fix });
  }
  // Two changes make any word of two letters.
  const meant = head.length > 2 ? nearest(head.toLowerCase(), fieldWords) : undefined;
  const fixed = meant === undefined ? undefined : [meant, ...key].join('.');
  const fix = fixed !== undefined && fieldNamed(fixed) ? { from: at, to: end, text: fixed } : undefined;
  return new BadQuery(text, { at, found: written, problem: `there is no field ${written}`, expected: someFields, fix });
}

/** The word after some spaces, as a change that takes the spaces away; undefined if there is none, or an operator. */
export function nextWord(text: string, from: number): Fix | undefined {
  const [whole, word] = /^\s+([^\s()]+)/.exec(text.slice(from)) ?? [];
  if (whole === undefined || word === undefined || /^(and|or|not|&&|\|\||[-!].*)$/i.test(word)) return undefined;
  return { from, to: from + whole.length, text: word };
}

/** `tag:(a or b)` as `tag:a,b`: the change of what is in parentheses. Undefined where it is anything else. */
export function groupedValues(text: string, { end, text: written }: Word): Fix | undefined {
  const [whole, inside = ''] = /^\(([^()]*)\)/.exec(text.slice(end)) ?? [];
  if (whole === undefined || !written.endsWith(':')) return undefined;
  const values = inside.split(/[\s,|]+/).filter((word) => word !== '' && !/^or$/i.test(word));
  const arePlain = values.length > 0 && values.every((value) => /^[\w.*?-]+$/.test(value) && !/^(and|not)$/i.test(value));
  return arePlain ? { from: end, to: end + whole.length, text: values.join(',') } : undefined;
}
