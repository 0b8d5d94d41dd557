import { ZonemeterError } from "../core/index.ts";
import { jsonExcerpt, jsonPathAt } from "./json-path.ts";
import { StringCache } from "./string-cache.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const ZERO = 0x30;
const MINUS = 0x2d;
const DOT = 0x2e;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= 0x39;

/** Levels of nesting that are followed, as in serde_json; deeper text is refused rather than left to the stack. */
const MAX_DEPTH = 128;

/**
 * A cursor over JSON text that hands out one token at a time, so that integers keep their digits and nothing is built that is not wanted.
 * Every method leaves `pos` behind what it read. Text that is not as asked throws ZonemeterError `invalid_input` with path and value.
 */
export class JsonScanner {
  bytes: Buffer = Buffer.alloc(0);
  pos = 0;
  readonly #strings = new StringCache();

  /** Starts on a new text, which must not change while it is read. */
  open(bytes: Buffer): void {
    this.bytes = bytes;
    this.pos = 0;
  }

  fail(offset: number, expected: string): never {
    const { bytes } = this;
    throw new ZonemeterError(
      "invalid_input",
      `${jsonPathAt(bytes, offset)} is ${jsonExcerpt(bytes, offset)}, where ${expected} is expected.`,
    );
  }

  skipSpace(): void {
    const { bytes } = this;
    let { pos } = this;
    for (let byte = bytes[pos]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[pos]) pos++;
    this.pos = pos;
  }

  /** Throws unless only white space is left. */
  end(): void {
    this.skipSpace();
    if (this.pos < this.bytes.length) this.fail(this.pos, "the end of the text");
  }

  /** Enters an object and returns its first key, or null where it is empty. `pos` is then at that key's value. */
  firstKey(expected: string): string | null {
    if (this.bytes[this.pos] !== OPEN_OBJECT) this.fail(this.pos, expected);
    this.pos++;
    this.skipSpace();
    if (this.bytes[this.pos] === CLOSE_OBJECT) {
      this.pos++;
      return null;
    }
    return this.#key();
  }

  /** The next key of the object, or null at its end. */
  nextKey(): string | null {
    this.skipSpace();
    const byte = this.bytes[this.pos];
    if (byte === COMMA) {
      this.pos++;
      this.skipSpace();
      return this.#key();
    }
    if (byte !== CLOSE_OBJECT) this.fail(this.pos, '"," or "}"');
    this.pos++;
    return null;
  }

  /** Enters an array; false where it is empty. `pos` is then at the first item. */
  firstItem(expected: string): boolean {
    if (this.bytes[this.pos] !== OPEN_ARRAY) this.fail(this.pos, expected);
    this.pos++;
    this.skipSpace();
    if (this.bytes[this.pos] !== CLOSE_ARRAY) return true;
    this.pos++;
    return false;
  }

  /** Goes on to the next item of the array; false at its end. */
  nextItem(): boolean {
    this.skipSpace();
    const byte = this.bytes[this.pos];
    if (byte !== COMMA && byte !== CLOSE_ARRAY) this.fail(this.pos, '"," or "]"');
    this.pos++;
    if (byte === CLOSE_ARRAY) return false;
    this.skipSpace();
    return true;
  }

  /** A string. Short ASCII ones without escapes are the same object whenever they occur. */
  string(expected: string): string {
    const { bytes } = this;
    const start = this.pos + 1;
    if (bytes[this.pos] !== QUOTE) this.fail(this.pos, expected);
    let pos = start;
    let hash = 0;
    let high = 0;
    for (;;) {
      const byte = bytes[pos];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) return this.#escapedString(start);
      if (byte === undefined || byte < 0x20) this.fail(start - 1, `${expected}, closed and without control characters,`);
      hash = (Math.imul(hash, 31) + byte) | 0;
      high |= byte;
      pos++;
    }
    this.pos = pos + 1;
    return high < 0x80 ? this.#strings.get(bytes, start, pos, hash) : bytes.toString("utf8", start, pos);
  }

  /** Digits of an integer as they stand: `start` to `pos`. Returns how many digits there are, not counting a sign. */
  integerDigits(expected: string): number {
    const { bytes } = this;
    const start = this.pos;
    const first = bytes[start] === MINUS ? start + 1 : start;
    let pos = first;
    while (isDigit(bytes[pos])) pos++;
    const after = bytes[pos];
    const padded = bytes[first] === ZERO && pos - first > 1;
    if (pos === first || padded || after === DOT || after === 0x65 || after === 0x45) this.fail(start, expected);
    this.pos = pos;
    return pos - first;
  }

  /** A finite number of any spelling. */
  number(expected: string): number {
    const { bytes } = this;
    const start = this.pos;
    let pos = bytes[start] === MINUS ? start + 1 : start;
    const digits = (): void => {
      if (!isDigit(bytes[pos])) this.fail(start, expected);
      while (isDigit(bytes[pos])) pos++;
    };
    if (bytes[pos] === ZERO && isDigit(bytes[pos + 1])) this.fail(start, expected);
    digits();
    if (bytes[pos] === DOT) {
      pos++;
      digits();
    }
    if (bytes[pos] === 0x65 || bytes[pos] === 0x45) {
      pos++;
      if (bytes[pos] === MINUS || bytes[pos] === 0x2b) pos++;
      digits();
    }
    const value = Number(bytes.toString("latin1", start, pos));
    if (!Number.isFinite(value)) this.fail(start, `${expected} within the range of a double`);
    this.pos = pos;
    return value;
  }

  /** True where `word` (such as `null`) stands here; it is then read. */
  word(word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.bytes[this.pos + i] !== word.charCodeAt(i)) return false;
    this.pos += word.length;
    return true;
  }

  /** Reads over any one value, which must be well formed. */
  skipValue(depth = 0): void {
    if (depth > MAX_DEPTH) this.fail(this.pos, `at most ${MAX_DEPTH} levels of nesting`);
    const byte = this.bytes[this.pos];
    if (byte === OPEN_OBJECT) {
      for (let key = this.firstKey("an object"); key !== null; key = this.nextKey()) this.skipValue(depth + 1);
    } else if (byte === OPEN_ARRAY) {
      for (let more = this.firstItem("an array"); more; more = this.nextItem()) this.skipValue(depth + 1);
    } else if (byte === QUOTE) this.string("a string");
    else if (!this.word("true") && !this.word("false") && !this.word("null")) this.number("a JSON value");
  }

  /**
   * Where the object that begins at `pos` ends, found by counting braces outside strings; does not move. The text between may still
   * be malformed: only good for looking up text that was read in full before.
   */
  objectEnd(): number {
    const { bytes } = this;
    const { length } = bytes;
    let depth = 0;
    for (let pos = this.pos; pos < length; pos++) {
      const byte = bytes[pos];
      if (byte === QUOTE) {
        for (pos++; pos < length && bytes[pos] !== QUOTE; pos++) if (bytes[pos] === BACKSLASH) pos++;
      } else if (byte === OPEN_OBJECT) depth++;
      else if (byte === CLOSE_OBJECT && --depth === 0) return pos + 1;
    }
    return length;
  }

  #key(): string {
    const key = this.string("a key");
    this.skipSpace();
    if (this.bytes[this.pos] !== COLON) this.fail(this.pos, '":"');
    this.pos++;
    this.skipSpace();
    return key;
  }

  #escapedString(start: number): string {
    const { bytes } = this;
    let pos = start;
    while (pos < bytes.length && bytes[pos] !== QUOTE) pos += bytes[pos] === BACKSLASH ? 2 : 1;
    let text: string;
    try {
      text = JSON.parse(bytes.toString("utf8", start - 1, pos + 1)) as string;
    } catch {
      this.fail(start - 1, "a well-formed string");
    }
    // Half a surrogate pair is no text; upstream's reader refuses it too.
    if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text))
      this.fail(start - 1, "a string of whole characters");
    this.pos = pos + 1;
    return text;
  }
}
