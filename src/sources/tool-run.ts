import { quoteLine } from "./findings.ts";
import type { Diagnostic } from "./source.ts";

/** zonestat's status where its service is not there, or went away during the run. */
const ZONESTAT_SERVICE_DOWN = 3;
const KSTAT_NOTHING_MATCHED = 1;

/**
 * What the end of a tool's run says about its output: a failed run with nothing on stdout is a source that is not there, never zones that use
 * nothing. `status` is null where it is not known or a signal ended the run.
 */
export function diagnoseRun(
  tool: "zonestat" | "kstat" | "prstat",
  status: number | null,
  stderr: string,
  gaveAnything: boolean,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const message = stderr.split("\n").find((line) => line.trim() !== "");
  const told = message === undefined ? "" : `: ${quoteLine(message.trim())}`;
  if (tool === "kstat" && status === KSTAT_NOTHING_MATCHED) {
    found.push({ code: "no-data", text: `kstat found nothing that matches${told}.`, line: null });
  } else if (status !== null && status !== 0) {
    const down = tool === "zonestat" && status === ZONESTAT_SERVICE_DOWN;
    const code = down || !gaveAnything ? "source-unavailable" : "tool-error";
    found.push({
      code,
      text: `${tool} ended with status ${status}${down ? ", as its service is not enabled or not responding" : ""}${told}.`,
      line: null,
    });
  } else if (message !== undefined) {
    found.push({ code: "tool-error", text: `${tool} reported ${quoteLine(message.trim())}.`, line: null });
  }
  return found;
}
