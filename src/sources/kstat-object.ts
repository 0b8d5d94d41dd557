const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\r\n]*/y;
const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Objects and arrays inside one value; deeper ones are damage. */
const MAX_DEPTH = 16;

/** A scalar as printed (strings without quotes and escapes), or the fields of an object. Arrays are passed over as null. */
export type JsonValue = string | ReadonlyMap<string, JsonValue> | null;

/** One object of `kstat -j`, its numbers as text so that 64-bit counters stay exact. */
export interface KstatObject {
  readonly fields: ReadonlyMap<string, JsonValue>;
  /** An escape that JSON does not know, such as the tool's `\?`, was read as the character behind it. */
  readonly repaired: boolean;
}

/** Reads one object; null where it is not one from end to end. */
export function readKstatObject(text: string): KstatObject | null {
  const reader = new ObjectReader(text);
  const value = reader.whole();
  return value instanceof Map ? { fields: value, repaired: reader.repaired } : null;
}

class Damage extends Error {}

/** value: object | array | string | NUMBER | WORD */
class ObjectReader {
  readonly #text: string;
  #at = 0;
  repaired = false;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonValue {
    try {
      const value = this.#value(0);
      this.#space();
      return this.#at === this.#text.length ? value : null;
    } catch (error) {
      if (error instanceof Damage) return null;
      throw error;
    }
  }

  #value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw new Damage();
    this.#space();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#token(NUMBER) ?? this.#token(WORD) ?? this.#fail();
    }
  }

  /** object: `{` [ string `:` value { `,` string `:` value } ] `}` */
  #object(depth: number): ReadonlyMap<string, JsonValue> {
    const fields = new Map<string, JsonValue>();
    this.#take("{");
    if (this.#takes("}")) return fields;
    do {
      this.#space();
      const name = this.#string();
      this.#take(":");
      const value = this.#value(depth + 1);
      if (fields.has(name)) throw new Damage();
      fields.set(name, value);
    } while (this.#takes(","));
    this.#take("}");
    return fields;
  }

  #array(depth: number): null {
    this.#take("[");
    if (this.#takes("]")) return null;
    do this.#value(depth + 1);
    while (this.#takes(","));
    this.#take("]");
    return null;
  }

  #string(): string {
    if (this.#text[this.#at] !== '"') throw new Damage();
    let from = this.#at + 1;
    let read = "";
    for (let at = from; ; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 34) {
        this.#at = at + 1;
        return read + this.#text.slice(from, at);
      }
      // A tab is let through, as the text of some drivers holds one; other control characters, and the end, are damage.
      if (Number.isNaN(code) || (code < 32 && code !== 9)) throw new Damage();
      if (code !== 92) continue;
      read += this.#text.slice(from, at);
      at += 1;
      const escape = this.#text[at] ?? this.#fail();
      if (escape === "u") {
        const hex = this.#text.slice(at + 1, at + 5);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) throw new Damage();
        read += String.fromCharCode(Number.parseInt(hex, 16));
        at += 4;
      } else {
        if (ESCAPES[escape] === undefined && !'"\\/'.includes(escape)) this.repaired = true;
        read += ESCAPES[escape] ?? escape;
      }
      from = at + 1;
    }
  }

  #token(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return null;
    this.#at = pattern.lastIndex;
    return match[0];
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #takes(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #take(character: string): void {
    if (!this.#takes(character)) throw new Damage();
  }

  #fail(): never {
    throw new Damage();
  }
}
