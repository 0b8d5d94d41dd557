import { TEXT_DIAGNOSTICS_MAX } from "../core/index.ts";
import type { Diagnostic } from "./source.ts";

/** The diagnostics of one reader, bounded: beyond TEXT_DIAGNOSTICS_MAX they are only counted, by code. */
export class Findings {
  #list: Diagnostic[] = [];
  #more = new Map<string, number>();
  #once = new Set<string>();

  add(code: string, text: string, line: number | null = null, count = 1): void {
    if (this.#list.length >= TEXT_DIAGNOSTICS_MAX) this.#more.set(code, (this.#more.get(code) ?? 0) + count);
    else this.#list.push({ code, text, line, ...(count === 1 ? {} : { count }) });
  }

  /** Adds a finding whose repetition says nothing new, such as a resource type that is not known; later ones of the same key are left out. */
  addOnce(key: string, code: string, text: string, line: number | null = null): void {
    if (this.#once.has(key) || this.#once.size >= TEXT_DIAGNOSTICS_MAX) return;
    this.#once.add(key);
    this.add(code, text, line);
  }

  take(): Diagnostic[] {
    const taken = this.#list;
    for (const [code, count] of this.#more) taken.push({ code, text: `${count} more of the kind ${code} were found.`, line: null, count });
    this.#list = [];
    this.#more = new Map();
    return taken;
  }
}

/** A line for a message: printable, and not longer than a message should be. */
export function quoteLine(text: string, start = 0, end = text.length): string {
  const shown = text.slice(start, Math.min(end, start + 80)).replaceAll(/[^\x20-\x7e]/g, "?");
  return end - start > 80 ? `"${shown}…"` : `"${shown}"`;
}
