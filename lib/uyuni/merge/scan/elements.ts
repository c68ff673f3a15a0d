import { type IdPath, stepsOf } from '../ids.ts';
import { AnswerRefused } from '../refusal.ts';
import { Content, isShort, shortMax } from './content.ts';
import { type Bound, type Mode, Place, type State } from './grammar.ts';
import { Runs } from './kept.ts';
import { afterBlanks, walk } from './markup.ts';
import { clusterIdText, type ScanOptions } from './options.ts';

const cdata = '<![CDATA[';
const comment = '<!--';
const mayBeId = (mode: Mode): boolean => ['int', 'i4', 'i8', 'string', 'value'].includes(mode);

/**
 * Reads the value of an answer, from after its `<value>`, in parts of any size, and keeps the bytes of complete
 * elements of its array with their ids rewritten. No tree is made: what is between two texts is compared with what was
 * there before, and bytes are copied in runs.
 */
export class Elements {
  readonly #options: ScanOptions;
  readonly #kept = new Runs();
  #state: State;
  /** What ends a comment or CDATA that has begun. */
  #aside: '--' | ']]>' | undefined;
  /** Whether the text before a tag that is not whole yet was looked at. */
  #isJudged = false;
  /** Whether a value without a type has had a text that is not blank. */
  #hasText = false;
  #shape: 'array' | 'single' | undefined;
  #elements = 0;
  #leftOut = 0;
  /** Whether an element is read, and whether it is one to leave out. */
  #isOpen = true;
  #isLeftOut = false;
  /** The part that is read: its bytes as characters. */
  #text = '';
  #content = new Content('');
  /** How far the part is read. */
  #at = 0;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#state = Place.root(options.clusterIdOf === undefined ? [] : options.ids.map(stepsOf)).in('value');
  }

  get shape(): 'array' | 'single' | undefined {
    return this.#shape;
  }
  get isDone(): boolean {
    return this.#state.mode === 'done';
  }
  get counts(): { readonly elements: number; readonly leftOut: number } {
    return { elements: this.#elements, leftOut: this.#leftOut };
  }
  /** How large the element is that is not complete. */
  get openBytes(): number {
    return this.#kept.openBytes;
  }
  /** Bytes of elements that have become complete since the last time. */
  take(): Buffer | undefined {
    return this.#kept.take();
  }

  /**
   * Reads a part from an offset on; its bytes are the characters of `text`. Returns up to where it is read: what is
   * after that belongs before the next. Throws {@link AnswerRefused}.
   */
  read(text: string, from: number): number {
    this.#text = text;
    this.#content = new Content(text);
    this.#at = from;
    this.#kept.read(text, this.#isOpen ? from : undefined);
    try {
      while (this.#at < text.length && !this.isDone && this.#advance());
    } finally {
      this.#kept.readTo(this.#at);
    }
    return this.#at;
  }

  /** Reads up to the next text; whether there may be more to read. */
  #advance(): boolean {
    if (this.#aside !== undefined) return this.#readAside(this.#aside);
    const text = this.#text;
    const open = text.indexOf('<', this.#at);
    if (open === -1) this.#readUnended();
    if (open === -1 || open + 1 === text.length) return false;
    if (!this.#isJudged) this.#judge(open);
    this.#isJudged = true;
    this.#at = open;
    if (text[open + 1] === '!') return this.#beginAside(open);
    for (const edge of this.#state.edges) {
      if (text.slice(open, open + edge.markup.length) !== edge.markup) continue;
      this.#go(edge.to, open + edge.markup.length, edge.bounds, open);
      return true;
    }
    return this.#walk(open);
  }

  #walk(open: number): boolean {
    const { at, to, bounds, isWhole } = walk(this.#text, open, this.#state, this.#options.limits);
    if (at === open) return false;
    if (isWhole) {
      const relative = bounds.map((bound) => ({ is: bound.is, at: bound.at - open }));
      to.place.remember(this.#state, { markup: this.#text.slice(open, at), to, bounds: relative });
    }
    this.#go(to, at, bounds, 0);
    return true;
  }

  /** Goes on in another state; bounds count from `base`. */
  #go(to: State, at: number, bounds: readonly Bound[], base: number): void {
    for (const bound of bounds) this.#pass(bound.is, base + bound.at);
    this.#shape ??= to.place.depth === 0 && to.mode === 'value' ? undefined : 'single';
    if (this.#shape === 'single' && !this.#options.mayBeSingle) throw new AnswerRefused('not-an-array', 'its value is not an array');
    this.#state = to;
    this.#at = at;
    this.#hasText = false;
    this.#isJudged = false;
    if (to.mode === 'done' && this.#shape === 'single') this.#pass('end', at);
  }

  #pass(is: Bound['is'], at: number): void {
    if (is === 'list') {
      this.#shape = 'array';
      this.#kept.clear();
      this.#isOpen = false;
    } else if (is === 'start') {
      this.#kept.start(at);
      this.#isOpen = true;
      this.#isLeftOut = false;
    } else {
      this.#isOpen = false;
      if (this.#isLeftOut) this.#leftOut++;
      else this.#elements++;
      if (this.#isLeftOut) this.#kept.drop(at);
      else this.#kept.end(at);
    }
  }

  /** Looks at the text before the tag that begins at `open`. */
  #judge(open: number): void {
    if (this.#state.isBetween) this.#wantBlank(open);
    else this.#judgeText(open, this.#text[open + 1]);
  }

  /** Looks at a text before a tag whose second character is `next`. */
  #judgeText(open: number, next: string | undefined): void {
    const { mode, place } = this.#state;
    if (mode === 'value') this.#hasText ||= afterBlanks(this.#text, this.#at) < open;
    if (mode === 'value' && this.#hasText && next !== '/' && next !== '!')
      throw new AnswerRefused('malformed', 'there is text beside a type');
    if (next === '!' && (isShort(mode) || place.id !== undefined))
      throw new AnswerRefused('refused', `there is a comment or CDATA in ${place.id === undefined ? mode : 'an id'}`);
    this.#content.judge(mode, this.#at, open);
    if (place.id !== undefined && next === '/' && mayBeId(mode)) this.#rewrite(place.id, open);
  }

  #wantBlank(to: number): void {
    if (afterBlanks(this.#text, this.#at) < to) throw new AnswerRefused('malformed', `there is text where ${this.#state.mode} is read`);
  }

  /** Reads what can be read of a text whose end is not there yet. */
  #readUnended(): void {
    const { mode, place, isBetween } = this.#state;
    const { length } = this.#text;
    if (isBetween) {
      this.#wantBlank(length);
      this.#at = length;
    } else if (isShort(mode) || place.id !== undefined) {
      if (length - this.#at > shortMax)
        throw new AnswerRefused('malformed', `a text of more than ${shortMax} bytes is no ${place.id ? 'id' : mode}`);
    } else {
      const end = this.#content.sureEnd(this.#at);
      this.#content.judge(mode, this.#at, end);
      this.#hasText ||= afterBlanks(this.#text, this.#at) < end;
      this.#at = end;
    }
  }

  /** Writes the id in the cluster in place of the id up to `to`; an empty text, or words, are no id. */
  #rewrite(kind: IdPath['kind'], to: number): void {
    if (this.#isLeftOut) return;
    const local = this.#text.slice(this.#at, to).trim();
    const id = clusterIdText(this.#options, kind, local, this.#shape === 'array');
    if (id === undefined) this.#isLeftOut = true;
    else if (id !== local) this.#kept.replace(this.#at, to, id);
  }

  /** Begins a comment, or CDATA in a text. */
  #beginAside(open: number): boolean {
    const { mode } = this.#state;
    const begun = this.#text.slice(open, open + cdata.length);
    const isCdata = begun === cdata && (mode === 'string' || mode === 'value');
    if (!isCdata && !begun.startsWith(comment)) {
      if (comment.startsWith(begun) || cdata.startsWith(begun))
        return this.#refuseIf(begun === cdata, 'CDATA is not allowed outside of a text');
      return this.#refuseIf(true, 'a declaration is not allowed');
    }
    this.#hasText ||= isCdata;
    this.#isJudged = false;
    this.#aside = isCdata ? ']]>' : '--';
    this.#at = open + (isCdata ? cdata.length : comment.length);
    return true;
  }

  #refuseIf(isRefused: boolean, text: string): false {
    if (isRefused) throw new AnswerRefused('refused', text);
    return false;
  }

  /** Reads on in a comment or CDATA; whether it ends in this part. */
  #readAside(until: '--' | ']]>'): boolean {
    const { length } = this.#text;
    const end = this.#text.indexOf(until, this.#at);
    if (end === -1 || end + 3 > length) {
      this.#at = end === -1 ? Math.max(this.#at, length - until.length + 1) : end;
      return false;
    }
    if (this.#text[end + 2] !== '>') throw new AnswerRefused('malformed', 'a comment holds --');
    this.#at = end + 3;
    this.#aside = undefined;
    return true;
  }
}
