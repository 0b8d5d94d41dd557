import { QUERY_MAX_BYTES, QUERY_MAX_DEPTH, type TextPosition } from "../core/index.ts";
import { expectedButFound } from "./messages.ts";
import { queryError, type QueryErrorKind } from "./query-error.ts";
import { isBlank, trimmedEnd, trimmedStart } from "./white-space.ts";

const IDENTIFIER = /[a-z][a-z0-9]*(?:_[a-z0-9]+)*/y;

/**
 * Reads a query text from left to right. There are no tokens as such: OxQL forbids blanks in some places and demands them in others,
 * so the parser asks for exactly what its rule allows next. The scanner remembers what was asked for at the place it is at, which
 * is what an error there says was expected, and what completion offers.
 */
export class Scanner {
  readonly text: string;
  /** The clock as read once for this query. */
  readonly nowNs: bigint;
  offset: number;
  /** Offset after the last thing taken, before blanks: where a node that has just been read ends. */
  #takenEnd = 0;
  /** What was asked for at `expectedAt`, in that order. */
  readonly #expected = new Set<Expectation>();
  #expectedAt = 0;
  #depth = 0;
  #lineStarts: number[] | null = null;

  /** Trims the blanks of all Unicode at both ends, as upstream does; throws `parse` where more than QUERY_MAX_BYTES remain. */
  constructor(text: string, nowNs: bigint) {
    const end = trimmedEnd(text);
    this.text = end === text.length ? text : text.slice(0, end);
    this.nowNs = nowNs;
    this.offset = trimmedStart(this.text);
    this.#takenEnd = this.offset;
    // A UTF-16 unit is at least one byte, so a long text is refused without being encoded.
    const units = this.text.length - this.offset;
    if (units > QUERY_MAX_BYTES || new TextEncoder().encode(this.text.slice(this.offset)).length > QUERY_MAX_BYTES) {
      throw queryError("parse", `The query is longer than ${QUERY_MAX_BYTES} bytes: shorten it or split it into several queries.`);
    }
  }

  get atEnd(): boolean {
    return this.offset === this.text.length;
  }

  /** Skips space, tab and newline; true where there was any. */
  blanks(): boolean {
    const start = this.offset;
    while (isBlank(this.text.charCodeAt(this.offset))) this.offset++;
    return this.offset > start;
  }

  /** `_`: at least one blank. */
  demandBlank(): void {
    if (!this.blanks()) this.fail("a blank");
  }

  /** Takes `token` if it is next. */
  take(token: string, label: Expectation = `"${token}"`): boolean {
    if (!this.text.startsWith(token, this.offset)) {
      this.expect(label);
      return false;
    }
    this.advance(token.length);
    return true;
  }

  /** Takes `word` if it is next and not only the beginning of a longer one. */
  takeWord(word: string): boolean {
    const match = this.peek(/\w+/y);
    if (match?.[0] === word) return this.take(word);
    this.expect(`"${word}"`);
    return false;
  }

  demand(token: string): void {
    if (!this.take(token)) this.fail();
  }

  /** Takes what the sticky `pattern` matches here, or gives null. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.text);
    if (match !== null) this.advance(match[0].length);
    return match;
  }

  /** Like `match`, but stays where it is. */
  peek(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.offset;
    return pattern.exec(this.text);
  }

  /** `ident`. `label` says what it would have named. */
  identifier(label: Expectation): string {
    const match = this.match(IDENTIFIER);
    if (match === null) this.fail(label);
    return match[0];
  }

  advance(length: number): void {
    this.offset += length;
    this.#takenEnd = this.offset;
  }

  /** Notes that `label` could stand here. */
  expect(label: Expectation): void {
    if (this.offset !== this.#expectedAt) {
      this.#expected.clear();
      this.#expectedAt = this.offset;
    }
    this.#expected.add(label);
  }

  /** What could stand at `offset`, in the order in which it was asked for. */
  get expected(): Expectation[] {
    return this.offset === this.#expectedAt ? [...this.#expected] : [];
  }

  /** Runs the reader of one nesting level. */
  nested<T>(read: () => T): T {
    if (++this.#depth > QUERY_MAX_DEPTH) {
      this.#refuse(
        "too_complex",
        `The query nests deeper than ${QUERY_MAX_DEPTH} levels: flatten it or split it.`,
        this.positionAt(this.offset, 1),
      );
    }
    const result = read();
    this.#depth--;
    return result;
  }

  /** From `start` to the end of what was taken last, without the blanks after it. */
  positionFrom(start: number): TextPosition {
    return this.positionAt(start, this.#takenEnd - start);
  }

  positionAt(offset: number, length: number): TextPosition {
    const starts = (this.#lineStarts ??= lineStarts(this.text));
    let line = starts.length;
    while (starts[line - 1]! > offset) line--;
    return { offset, length, line, column: offset - starts[line - 1]! + 1 };
  }

  /** Ends parsing here: the message says what was expected (`label` too, if given), what stands there, and the likely remedy. */
  fail(label?: Expectation): never {
    if (label !== undefined) this.expect(label);
    const { sentence, length } = expectedButFound(this.text, this.offset, this.expected);
    this.#refuse("parse", sentence, this.positionAt(this.offset, length));
  }

  /** Ends parsing because of `length` characters at `offset`, with a sentence of the caller's. */
  refuse(sentence: string, offset: number, length: number): never {
    this.#refuse("parse", sentence, this.positionAt(offset, length));
  }

  #refuse(kind: QueryErrorKind, sentence: string, position: TextPosition): never {
    throw queryError(kind, sentence, position);
  }
}

/** What a rule asked for: a token in double quotes, or one of these. Completion maps each to its candidates. */
export type Expectation =
  | `"${string}"`
  | "a blank"
  | "an operation"
  | "a timeseries name"
  | "a field or special name"
  | "a comparison operator"
  | "a literal"
  | "a string in quotes"
  | "a field name"
  | "a reducer"
  | "an alignment method"
  | "a duration"
  | "a whole number"
  | "an expression"
  | "the end of the query";

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
