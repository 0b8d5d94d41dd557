// What the runners of OxQL cases share: dialects, the clock, and telling a refusal from a crash.
import { ZonemeterError } from "../../dist/core/index.js";

/** Cases that name no time of their own are parsed and planned at this one. */
export const CLOCK_NS = BigInt(Date.parse("2025-06-01T12:00:00Z")) * 1_000_000n;

export const DIALECTS = ["zonemeter", "upstream"];

/** `{ value }`, or `{ kind }` where the query was refused. Anything thrown that is not a refusal goes on. */
export function attempt(work) {
  try {
    return { value: work() };
  } catch (error) {
    if (!(error instanceof ZonemeterError) || error.code !== "query") throw error;
    return { kind: error.kind, message: error.message };
  }
}

/** True where `ideal` of a quirk is a verdict, `accept` or `reject: KIND`, and the result has it. */
export function isVerdict(ideal, { value, kind }) {
  if (typeof ideal !== "string") return false;
  return ideal === "accept" ? value !== undefined : value === undefined && kind === ideal.replace(/^reject:\s*/, "");
}
