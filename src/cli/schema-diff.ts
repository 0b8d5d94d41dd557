import { statSync } from "node:fs";
import { ZonemeterError } from "../core/index.ts";
import {
  diffSchemas,
  errorsOf,
  formatFinding,
  readSchemaFiles,
  readSchemaSet,
  RULES,
  schemasOfSet,
  type SchemaSet,
  type SchemaText,
} from "../schema/index.ts";
import type { CommandContext } from "./command.ts";
import { readSchemasOfRevision } from "./git-revision.ts";
import { printFindings, shownFolder, type FindingFormat } from "./print-findings.ts";

export interface DiffFlags {
  readonly dir: string;
  readonly widen: readonly string[];
  readonly format: FindingFormat;
}

/** `zonemeter schema diff BASE [--widen NAME]` */
export async function diffAgainst(base: string, flags: DiffFlags, context: CommandContext): Promise<number> {
  const dir = shownFolder(flags.dir);
  const now = readSchemaSet(readSchemaFiles([dir]), { ours: true });
  if (errorsOf(now.findings).length > 0) return printFindings(now.findings, flags.format, context);
  const widened = widenedNames(flags.widen, now);
  const texts = isFolder(base) ? readSchemaFiles([base]) : await readSchemasOfRevision(base, dir, context.signal);
  return printFindings(diffSchemas(readBase(base, texts), now, widened), flags.format, context);
}

/** Names given with --widen, each of which the definitions or the visibility table must know. */
export function widenedNames(names: readonly string[], set: SchemaSet): ReadonlySet<string> {
  const known = new Set(schemasOfSet(set).map(({ timeseriesName }) => timeseriesName));
  for (const [name] of set.table?.entries() ?? []) known.add(name);
  for (const name of names) {
    if (!known.has(name))
      throw new ZonemeterError("usage", `--widen "${name}" names no timeseries here; \`zonemeter schema list\` lists them.`);
  }
  return new Set(names);
}

/** The earlier state. It may break rules that are younger than it is, but has to be one that can be compiled. */
function readBase(base: string, texts: readonly SchemaText[]): SchemaSet {
  const set = readSchemaSet(texts, { ours: false });
  const upstreams = new Set(RULES.filter(({ upstream }) => upstream !== null).map(({ id }) => id));
  const fatal = errorsOf(set.findings).find(({ rule }) => upstreams.has(rule));
  if (fatal === undefined) return set;
  throw new ZonemeterError("usage", `The schemas of "${base}" are no base to compare with: ${formatFinding(fatal)}. Name another one.`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
