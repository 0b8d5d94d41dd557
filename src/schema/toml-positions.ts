import { parse } from "smol-toml";
import type { FilePosition } from "./finding.ts";

/** Keys and array indexes from the root of a document to one of its values. */
export type TomlPath = readonly (string | number)[];

interface Entry {
  /** Offset of the key; of the value where the value is an array's element. */
  readonly key: number;
  /** Offset of the value; of the `[` of its header where the value is a table with one. */
  readonly value: number;
}

/**
 * Where the keys and values of a TOML text stand, which smol-toml does not tell. The text must be one that smol-toml reads: this scanner
 * checks nothing and only has to find its way.
 */
export class TomlPositions {
  readonly #text: string;
  readonly #entries = new Map<string, Entry>();
  /** How many elements the array of tables at a path has so far. */
  readonly #tableCounts = new Map<string, number>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#scanDocument();
  }

  /** Place of the key that leads to `path`, or of the nearest enclosing table that stands in the text. */
  key(path: TomlPath): FilePosition {
    return this.#positionOf(path, (entry) => entry.key);
  }

  /** Place of the value at `path`, or of the nearest enclosing table that stands in the text. */
  value(path: TomlPath): FilePosition {
    return this.#positionOf(path, (entry) => entry.value);
  }

  #positionOf(path: TomlPath, offsetOf: (entry: Entry) => number): FilePosition {
    for (let length = path.length; length > 0; length--) {
      const entry = this.#entries.get(identity(path.slice(0, length)));
      if (entry !== undefined) return positionAt(this.#text, offsetOf(entry));
    }
    return { line: 1, column: 1 };
  }

  #scanDocument(): void {
    let table: TomlPath = [];
    for (;;) {
      this.#skipBlank();
      if (this.#at >= this.#text.length) return;
      if (this.#text[this.#at] === "[") table = this.#scanHeader();
      else this.#scanPair(table);
    }
  }

  /** `[a.b]` or `[[a.b]]`. Gives the path of the table that follows. */
  #scanHeader(): TomlPath {
    const start = this.#at;
    const isArray = this.#text[start + 1] === "[";
    this.#at += isArray ? 2 : 1;
    const keys = this.#scanKeys();
    this.#at += isArray ? 2 : 1;
    const path: (string | number)[] = [];
    for (const [i, { name, offset }] of keys.entries()) {
      path.push(name);
      const id = identity(path);
      const isLast = i === keys.length - 1;
      const count = this.#tableCounts.get(id);
      if (isArray && isLast) {
        this.#tableCounts.set(id, (count ?? 0) + 1);
        this.#addFirst(path, { key: offset, value: start });
        path.push(count ?? 0);
        this.#add(path, { key: start, value: start });
      } else if (isLast) {
        this.#add(path, { key: offset, value: start });
      } else {
        this.#addFirst(path, { key: offset, value: start });
        // A header below an array of tables speaks of the array's last element.
        if (count !== undefined) path.push(count - 1);
      }
    }
    return path;
  }

  /** `key = value`, also where the key is dotted. */
  #scanPair(table: TomlPath): void {
    const keys = this.#scanKeys();
    this.#at += 1; // the equals sign
    this.#skipSpaces();
    const path: (string | number)[] = [...table];
    for (const [i, { name, offset }] of keys.entries()) {
      path.push(name);
      if (i < keys.length - 1) this.#addFirst(path, { key: offset, value: offset });
      else this.#add(path, { key: offset, value: this.#at });
    }
    this.#scanValue(path);
  }

  #scanValue(path: TomlPath): void {
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") {
      this.#skipString(first);
    } else if (first === "[") {
      this.#at += 1;
      for (let index = 0; this.#enterItem("]"); index++) {
        this.#add([...path, index], { key: this.#at, value: this.#at });
        this.#scanValue([...path, index]);
      }
    } else if (first === "{") {
      this.#at += 1;
      while (this.#enterItem("}")) this.#scanPair(path);
    } else {
      while (this.#at < this.#text.length && !",]}#\r\n".includes(this.#text[this.#at]!)) this.#at += 1;
    }
  }

  /** Goes to the next item of an array or inline table; false where `close` ends it, which is passed. */
  #enterItem(close: string): boolean {
    this.#skipBlank();
    if (this.#text[this.#at] === ",") {
      this.#at += 1;
      this.#skipBlank();
    }
    if (this.#text[this.#at] !== close) return this.#at < this.#text.length;
    this.#at += 1;
    return false;
  }

  #scanKeys(): { name: string; offset: number }[] {
    const keys: { name: string; offset: number }[] = [];
    for (;;) {
      this.#skipSpaces();
      const offset = this.#at;
      const first = this.#text[offset];
      if (first === '"' || first === "'") this.#skipString(first);
      else while (/[A-Za-z0-9_-]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
      const raw = this.#text.slice(offset, this.#at);
      keys.push({ name: first === '"' || first === "'" ? String(parse(`key = ${raw}`)["key"]) : raw, offset });
      this.#skipSpaces();
      if (this.#text[this.#at] !== ".") return keys;
      this.#at += 1;
    }
  }

  #skipString(quote: string): void {
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    const close = isLong ? quote.repeat(3) : quote;
    this.#at += close.length;
    while (this.#at < this.#text.length && !this.#text.startsWith(close, this.#at)) {
      this.#at += quote === '"' && this.#text[this.#at] === "\\" ? 2 : 1;
    }
    this.#at += close.length;
    // A long string may end in one or two quotes of its own.
    if (isLong) while (this.#text[this.#at] === quote) this.#at += 1;
  }

  #skipSpaces(): void {
    while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at += 1;
  }

  /** Skips spaces, line ends and comments. */
  #skipBlank(): void {
    for (;;) {
      while (this.#at < this.#text.length && " \t\r\n".includes(this.#text[this.#at]!)) this.#at += 1;
      if (this.#text[this.#at] !== "#") return;
      while (this.#at < this.#text.length && this.#text[this.#at] !== "\n") this.#at += 1;
    }
  }

  #add(path: TomlPath, entry: Entry): void {
    this.#entries.set(identity(path), entry);
  }

  /** For tables that come to be by being named on the way to another: their own header, if they have one, counts more. */
  #addFirst(path: TomlPath, entry: Entry): void {
    if (!this.#entries.has(identity(path))) this.#add(path, entry);
  }
}

function identity(path: TomlPath): string {
  return JSON.stringify(path);
}

/** Line and column of an offset of a text. */
export function positionAt(text: string, offset: number): FilePosition {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
