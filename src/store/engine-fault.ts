import { messageOf, ZonemeterError } from "../core/index.ts";

/** Codes of ClickHouse's ErrorCodes.cpp. */
const TIMEOUT_EXCEEDED = 159;
const MEMORY_LIMIT_EXCEEDED = 241;
const NOT_ENOUGH_SPACE = 243;
const QUERY_WAS_CANCELLED = 394;
const ACCESS_DENIED = 497;
/** The engine did not understand our text, our rows or our types. */
const DEFECTS = new Set([6, 10, 16, 20, 27, 33, 36, 42, 43, 44, 46, 47, 49, 53, 60, 62, 117, 386]);

/** What an engine's error means, as one sentence. `what` names the store: `data directory "/var/lib/x"`. */
export function engineFault(error: unknown, what: string): ZonemeterError {
  if (error instanceof ZonemeterError) return error;
  const message = messageOf(error);
  const code = codeOf(error, message);
  if (code === NOT_ENOUGH_SPACE || /no space left|errno: 28\b/i.test(message)) {
    return new ZonemeterError("unavailable", `The disk of ${what} is full: free some space.`, { cause: error, kind: "disk_full" });
  }
  if (code === MEMORY_LIMIT_EXCEEDED) {
    return new ZonemeterError(
      "limit",
      "The statement needs more memory than the store may use: ask for a shorter time or fewer timeseries.",
      { cause: error, kind: "memory" },
    );
  }
  if (code === TIMEOUT_EXCEEDED || code === QUERY_WAS_CANCELLED) {
    return new ZonemeterError("unavailable", `The engine of ${what} did not finish a statement in time: ask for less, or try again.`, {
      cause: error,
      kind: "deadline",
    });
  }
  // The engine's own text names the table, which is not for everybody.
  if (code === ACCESS_DENIED)
    return new ZonemeterError("internal", `The engine of ${what} refused a statement that its role has no right to.`, {
      cause: error,
      kind: "access_denied",
    });
  const sentence = firstSentence(message);
  if (code !== null && DEFECTS.has(code))
    return new ZonemeterError("internal", `The engine of ${what} refused a statement: ${sentence}`, { cause: error });
  return new ZonemeterError("unavailable", `The engine of ${what} failed: ${sentence}`, { cause: error });
}

function codeOf(error: unknown, message: string): number | null {
  const { clickhouseCode, code, type } = (error ?? {}) as { clickhouseCode?: unknown; code?: unknown; type?: unknown };
  if (typeof clickhouseCode === "number") return clickhouseCode;
  // As a server's client has it; faults of connections have words for codes.
  if (typeof type === "string" && typeof code === "string" && /^\d+$/.test(code)) return Number(code);
  const printed = /^Code: (\d+)\./.exec(message)?.[1];
  return printed === undefined ? null : Number(printed);
}

function firstSentence(message: string): string {
  const text = message.replace(/^Code: \d+\. (?:DB::Exception: )?/, "");
  const end = text.indexOf(". ");
  return `${(end < 0 ? text : text.slice(0, end)).slice(0, 200).replace(/\.$/, "")}.`;
}
