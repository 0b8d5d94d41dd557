import { checkLock, errorsOf, PRODUCT_SCHEMAS_DIR, readSchemaFiles, readSchemaSet } from "../schema/index.ts";
import type { CommandContext } from "./command.ts";
import { printFindings, shownFolder, type FindingFormat } from "./print-findings.ts";
import { readLockOf } from "./schema-lock.ts";

/** `zonemeter schema check [PATH…]` */
export function checkSchemas(paths: readonly string[], format: FindingFormat, context: CommandContext): Promise<number> {
  if (paths.length > 0) return printFindings(readSchemaSet(readSchemaFiles(paths), { ours: false }).findings, format, context);
  const dir = shownFolder(PRODUCT_SCHEMAS_DIR);
  const set = readSchemaSet(readSchemaFiles([dir]), { ours: true });
  if (errorsOf(set.findings).length > 0) return printFindings(set.findings, format, context);
  const lock = readLockOf(dir);
  const findings = "frozen" in lock ? checkLock(lock, set, { widened: new Set(), onlyChanges: false }) : [lock];
  return printFindings([...set.findings, ...findings], format, context);
}
