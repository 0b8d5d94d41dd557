import { TEXT_DIAGNOSTICS_MAX } from "../core/index.ts";
import type { Diagnostic } from "./source.ts";

/** The diagnostics of one reader, bounded: beyond TEXT_DIAGNOSTICS_MAX they are only counted. */
export class Findings {
  #list: Diagnostic[] = [];
  #uncounted = 0;
  #once = new Set<string>();

  add(code: string, text: string, line: number | null = null): void {
    if (this.#list.length >= TEXT_DIAGNOSTICS_MAX) this.#uncounted += 1;
    else this.#list.push({ code, text, line });
  }

  /** Adds a finding whose repetition says nothing new, such as a resource type that is not known; later ones of the same key are left out. */
  addOnce(key: string, code: string, text: string, line: number | null = null): void {
    if (this.#once.has(key) || this.#once.size >= TEXT_DIAGNOSTICS_MAX) return;
    this.#once.add(key);
    this.add(code, text, line);
  }

  take(): Diagnostic[] {
    const taken = this.#list;
    if (this.#uncounted > 0) taken.push({ code: "more-findings", text: `${this.#uncounted} more findings were left out.`, line: null });
    this.#list = [];
    this.#uncounted = 0;
    return taken;
  }
}

/** A line for a message: printable, and not longer than a message should be. */
export function quoteLine(text: string, start = 0, end = text.length): string {
  const shown = text.slice(start, Math.min(end, start + 80)).replaceAll(/[^\x20-\x7e]/g, "?");
  return end - start > 80 ? `"${shown}…"` : `"${shown}"`;
}
