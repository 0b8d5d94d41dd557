import { parse, TomlError } from "smol-toml";
import type { FilePosition } from "./finding.ts";
import { TomlPositions } from "./toml-positions.ts";

/** A TOML text that could be read. */
export interface TomlDocument {
  readonly value: Readonly<Record<string, unknown>>;
  readonly positions: TomlPositions;
}

/** Why a text is not TOML, and where. */
export interface TomlFault extends FilePosition {
  readonly text: string;
}

/**
 * Reads TOML. Integers become numbers (exact up to 2^53). Floats and dates, which no file of ours holds, become symbols: a JSON Schema
 * takes 1.0 for an integer and a date for an object, but a symbol for nothing.
 */
export function readToml(text: string): TomlDocument | TomlFault {
  try {
    const value = plain(parse(text, { integersAsBigInt: true })) as Readonly<Record<string, unknown>>;
    return { value, positions: new TomlPositions(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [, reason] = /^Invalid TOML document: (.*)/.exec(error.message) ?? [];
    return { line: error.line, column: error.column, text: `not TOML: ${reason ?? "it cannot be read"}` };
  }
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Symbol("float");
  if (value instanceof Date) return Symbol("date");
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
