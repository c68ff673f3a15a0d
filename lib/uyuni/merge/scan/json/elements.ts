import { stepsOf } from '../../ids.ts';
import { AnswerRefused } from '../../refusal.ts';
import { shortMax } from '../content.ts';
import { Place } from '../grammar.ts';
import { faultBytesMax } from '../head.ts';
import type { ScanOptions } from '../options.ts';
import { KeptResult } from './kept-result.ts';
import { Strings, saidIn } from './strings.ts';

/** What comes next: `first` may be the end of an array that is empty, and `first-name` that of an object. */
type Wants = 'value' | 'first' | 'name' | 'first-name' | 'colon' | 'next' | 'nothing';

/** An object or an array that is read, and where it is in the result; without a place, it is not in it. */
type Frame = { readonly isObject: boolean; readonly place: Place | undefined };

/** Where a comma is that is in no part: not even before the first character of one. */
const nowhere = -2;
/** The last of the characters that may be a blank. */
const blank = 0x20;

/**
 * Reads `{"success": true, "result": …}` in parts of any size, and keeps the bytes of the complete elements of its
 * result with their ids rewritten, each after a comma; of a result that is no array, all of it with its name. No tree
 * is made.
 */
export class JsonElements {
  readonly #options: ScanOptions;
  readonly #root: Place;
  readonly #kept: KeptResult;
  readonly #strings = new Strings();
  readonly #blanks = /[ \t\r\n]*/y;
  readonly #scalars = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,\]}])/y;
  readonly #frames: Frame[] = [];
  #wants: Wants = 'value';
  /** Where the value is that comes next. */
  #here: Place | undefined;
  #isInString = false;
  #member = '';
  #success: boolean | undefined;
  #message = '';
  #text = '';
  #at = 0;
  /** Where the last comma was in this part. */
  #comma = nowhere;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#kept = new KeptResult(options);
    this.#root = Place.root(options.clusterIdOf === undefined ? [] : options.ids.map(stepsOf));
  }

  /** What has been found of the result. */
  get kept(): KeptResult {
    return this.#kept;
  }
  get isDone(): boolean {
    return this.#wants === 'nothing';
  }

  /**
   * Reads a part; its bytes are the characters of `text`. Returns up to where it is read. Throws
   * {@link AnswerRefused}.
   */
  read(text: string): number {
    this.#text = text;
    this.#at = 0;
    this.#comma = nowhere;
    this.#kept.readPart(text);
    try {
      while (this.#step());
    } finally {
      this.#kept.readTo(this.#at);
    }
    return this.#at;
  }

  /** The answer has ended. Throws {@link AnswerRefused} for one that is no success. */
  close(): void {
    if (this.#success === undefined) throw new AnswerRefused('malformed', 'it does not say whether it is a success');
    if (!this.#success) throw new AnswerRefused('fault', this.#message, { code: -1, text: this.#message });
    if (this.#kept.shape === undefined) this.#kept.beSingle();
  }

  #step(): boolean {
    if (this.#isInString) return this.#readString();
    if (this.#text.charCodeAt(this.#at) <= blank) {
      this.#blanks.lastIndex = this.#at;
      this.#blanks.test(this.#text);
      this.#at = this.#blanks.lastIndex;
    }
    const next = this.#text[this.#at];
    if (next === undefined) return false;
    switch (this.#wants) {
      case 'value':
        return this.#value(next);
      case 'first':
        return next === ']' ? this.#close(next) : this.#value(next);
      case 'name':
        return this.#name(next);
      case 'first-name':
        return next === '}' ? this.#close(next) : this.#name(next);
      case 'colon':
        return next === ':' ? this.#pass('value') : malformed(next);
      case 'next':
        return this.#next(next);
      case 'nothing':
        return malformed(next);
    }
  }

  #pass(wants: Wants): true {
    this.#at++;
    this.#wants = wants;
    return true;
  }

  #next(next: string): boolean {
    if (next !== ',') return this.#close(next);
    this.#comma = this.#at;
    const frame = this.#frames.at(-1);
    if (frame?.isObject) return this.#pass('name');
    this.#here = frame?.place?.child('[]');
    return this.#pass('value');
  }

  #close(next: string): boolean {
    const frame = this.#frames.pop();
    if (next !== (frame?.isObject ? '}' : ']')) return malformed(next);
    this.#at++;
    return this.#ended();
  }

  #name(next: string): boolean {
    const end = next === '"' ? this.#wholeString(this.#options.limits.nameBytesMax, 'a name') : malformed(next);
    if (end === undefined) return false;
    const frame = this.#frames.at(-1);
    if (this.#frames.length === 1) {
      this.#member = saidIn(this.#text, this.#at, end);
      this.#here = this.#member === 'result' ? this.#root : undefined;
    } else this.#here = frame?.place?.member(saidIn(this.#text, this.#at, end));
    this.#at = end;
    this.#wants = 'colon';
    return true;
  }

  /** After the end of the string that begins here; undefined if that is not there yet. */
  #wholeString(bytesMax: number, what: string): number | undefined {
    const end = this.#strings.end(this.#text, this.#at + 1);
    if ((end < 0 ? ~end : end) - this.#at > bytesMax + 2) throw new AnswerRefused('too-large', `${what} is larger than ${bytesMax} bytes`);
    return end < 0 ? undefined : end;
  }

  #value(next: string): boolean {
    if (next === '{' || next === '[') return this.#open(next === '{');
    if (this.#frames.length === 0) return malformed(next);
    if (next !== '"') return this.#scalar(next);
    if (this.#here?.id === undefined && !this.#isMessage) {
      this.#begin();
      this.#at++;
      this.#isInString = true;
      return true;
    }
    const end = this.#isMessage ? this.#wholeString(faultBytesMax, 'its message') : this.#wholeString(shortMax, 'an id');
    if (end === undefined) return false;
    this.#begin();
    if (this.#isMessage) this.#message = Buffer.from(saidIn(this.#text, this.#at, end), 'latin1').toString();
    else this.#rewrite(this.#at + 1, end - 1);
    this.#at = end;
    return this.#ended();
  }

  get #isMessage(): boolean {
    return this.#frames.length === 1 && this.#member === 'message';
  }

  #scalar(next: string): boolean {
    this.#scalars.lastIndex = this.#at;
    if (!this.#scalars.test(this.#text)) {
      // What ends the number or word may be in the next part.
      const rest = this.#text.length - this.#at;
      return rest <= shortMax && !/[\s,\]}]/.test(this.#text.slice(this.#at)) ? false : malformed(next);
    }
    const end = this.#scalars.lastIndex;
    this.#begin();
    if (this.#frames.length === 1 && this.#member === 'success') this.#success = this.#text.slice(this.#at, end) === 'true';
    this.#rewrite(this.#at, end);
    this.#at = end;
    return this.#ended();
  }

  #open(isObject: boolean): boolean {
    if (this.#frames.length === 0 && !isObject) return malformed('[');
    if (this.#frames.length > this.#options.limits.depthMax)
      throw new AnswerRefused('refused', `values are more than ${this.#options.limits.depthMax} deep`);
    if (!isObject && this.#isResult) this.#kept.beArray();
    else this.#begin();
    this.#frames.push({ isObject, place: this.#here });
    this.#here = isObject ? undefined : this.#here?.child('[]');
    return this.#pass(isObject ? 'first-name' : 'first');
  }

  get #isResult(): boolean {
    if (this.#frames.length !== 1 || this.#member !== 'result') return false;
    if (this.#success === undefined) throw new AnswerRefused('malformed', 'its result comes before it says whether it is a success');
    if (this.#kept.shape !== undefined) throw new AnswerRefused('malformed', 'it has two results');
    return this.#success;
  }

  get #isElement(): boolean {
    return this.#frames.length === 2 && this.#kept.shape === 'array' && this.#member === 'result';
  }

  /** A value begins here. */
  #begin(): void {
    if (this.#isElement) this.#kept.beginElement(this.#at, this.#comma);
    else if (this.#isResult) this.#kept.beginSingle(this.#at);
  }

  /** A value has ended here. */
  #ended(): true {
    this.#wants = this.#frames.length === 0 ? 'nothing' : 'next';
    const isWhole = this.#isElement || (this.#frames.length === 1 && this.#kept.shape === 'single');
    if (this.#kept.isOpen && isWhole) this.#kept.end(this.#at);
    return true;
  }

  #readString(): boolean {
    const end = this.#strings.end(this.#text, this.#at);
    this.#at = end < 0 ? ~end : end;
    if (end < 0) return false;
    this.#isInString = false;
    return this.#ended();
  }

  #rewrite(from: number, to: number): void {
    const kind = this.#here?.id;
    if (kind !== undefined) this.#kept.rewrite(kind, this.#text, from, to);
  }
}

function malformed(next: string): never {
  throw new AnswerRefused('malformed', `it is no JSON, or no answer: ${JSON.stringify(next)} is not allowed where it is`);
}
