import type { Diagnostic } from "./source.ts";

/**
 * Reads one tool's output as it comes. `push` takes the next bytes, cut anywhere, and returns what they completed; `end` says
 * that no more will come and returns the rest. Damage is never an exception: it is a diagnostic, and everything else is read.
 */
export interface TextReader<T> {
  push(chunk: Uint8Array): T[];
  end(): T[];
  /** What was found since the last call. */
  takeDiagnostics(): Diagnostic[];
}

/** Reads a whole text that is at hand. */
export function readWhole<T>(reader: TextReader<T>, text: Uint8Array | string): { items: T[]; diagnostics: Diagnostic[] } {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const items = reader.push(bytes);
  items.push(...reader.end());
  return { items, diagnostics: reader.takeDiagnostics() };
}
