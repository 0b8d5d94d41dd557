import { TEXT_LINE_MAX_BYTES } from "../core/index.ts";

export interface LineSink {
  /** One whole line: `text` from `start` to `end`, without its end. Bytes are one character each (latin1). Lines count from 1. */
  line(text: string, start: number, end: number, line: number): void;
  /** A line without an end, at the end of the text: what is there may be a part of it. */
  cutLine(text: string, line: number): void;
  /** A line above TEXT_LINE_MAX_BYTES was dropped. */
  longLine(line: number): void;
}

const CR = 13;
/** What some editors put before UTF-8 text, as latin1. */
export const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

/**
 * Cuts bytes into lines at LF, taking a CR before it along. Lines are given as ranges of the chunk, so that a line costs no string
 * of its own; only one that lies across chunks is joined.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  #carry = "";
  #dropping = false;
  #line = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  /** Lines that have come to their end. */
  get lines(): number {
    return this.#line;
  }

  get isAtLineStart(): boolean {
    return this.#carry === "" && !this.#dropping;
  }

  /** Counts lines that are read elsewhere; the splitter must be at the start of a line. */
  pass(lines: number): void {
    this.#line += lines;
  }

  push(chunk: Uint8Array): void {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    let start = 0;
    if (this.#carry !== "" || this.#dropping) {
      const end = text.indexOf("\n");
      if (end === -1) return this.#keep(text);
      const whole = this.#carry + text.slice(0, end);
      this.#carry = "";
      this.#give(whole, 0, whole.length);
      start = end + 1;
    }
    for (;;) {
      const end = text.indexOf("\n", start);
      if (end === -1) break;
      this.#give(text, start, end);
      start = end + 1;
    }
    if (start < text.length) this.#keep(text.slice(start));
  }

  /** Says that the text is over. */
  end(): void {
    const rest = this.#carry;
    this.#carry = "";
    if (this.#dropping) {
      this.#dropping = false;
      this.#line += 1;
    } else if (rest.trim() !== "") {
      this.#line += 1;
      this.#sink.cutLine(rest, this.#line);
    }
  }

  #keep(text: string): void {
    if (this.#dropping) return;
    this.#carry += text;
    if (this.#carry.length <= TEXT_LINE_MAX_BYTES) return;
    this.#carry = "";
    this.#dropping = true;
    this.#sink.longLine(this.#line + 1);
  }

  #give(text: string, from: number, end: number): void {
    this.#line += 1;
    const start = this.#line === 1 && text.startsWith(BYTE_ORDER_MARK, from) ? from + BYTE_ORDER_MARK.length : from;
    if (this.#dropping) {
      this.#dropping = false;
      return;
    }
    if (end - start > TEXT_LINE_MAX_BYTES) return this.#sink.longLine(this.#line);
    this.#sink.line(text, start, end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end, this.#line);
  }
}

/** The text that the bytes behind a latin1 string spell in UTF-8, on its own memory (a slice would keep its whole chunk alive). */
export function ownText(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
