import { ZonemeterError } from "../core/index.ts";
import { describeEnd, type ChildResult } from "./child.ts";
import type { Diagnostic } from "./source.ts";
import { diagnoseRun } from "./tool-run.ts";

/**
 * Judges one finished run of a tool by how it ended and what was read from its text. Returns what to tell beside the data; throws `unavailable` where
 * there are none, since no output is never "nothing is used".
 */
export function judgeOutput(
  tool: "kstat" | "prstat",
  result: ChildResult,
  gaveAnything: boolean,
  found: readonly Diagnostic[],
): Diagnostic[] {
  const diagnostics = [...diagnoseRun(tool, result.exitCode, result.stderr, gaveAnything), ...found];
  if (result.signal !== null) {
    diagnostics.unshift({ code: "tool-error", text: `${tool} ended ${describeEnd(result)} before it was done.`, line: null });
  }
  if (!gaveAnything)
    throw new ZonemeterError("unavailable", diagnostics[0]?.text ?? `${tool} printed no zones; that does not mean that nothing is used.`);
  return diagnostics;
}
