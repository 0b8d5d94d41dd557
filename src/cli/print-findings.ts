import { isAbsolute, relative } from "node:path";
import { errorsOf, formatFinding, formatFindingForGithub, type Finding } from "../schema/index.ts";
import type { CommandContext } from "./command.ts";
import { writeAll } from "./write.ts";

/** How findings are printed: as lines for people, or as commands that a GitHub workflow shows beside the code. */
export type FindingFormat = "text" | "github";

/** Prints findings, one a line, and gives the exit code: 1 where one of them is an error, with a sentence on stderr. */
export async function printFindings(findings: readonly Finding[], format: FindingFormat, context: CommandContext): Promise<number> {
  const print = format === "github" ? formatFindingForGithub : formatFinding;
  await writeAll(
    context.stdout,
    findings.map((finding) => `${print(finding)}\n`),
  );
  const errors = errorsOf(findings).length;
  if (errors === 0) return 0;
  context.stderr.write(
    `zonemeter: ${errors} ${errors === 1 ? "error" : "errors"} in the schema files; correct what the lines on stdout name.\n`,
  );
  return 1;
}

/** The path of a folder as a person here would write it: relative where it lies below the working directory. */
export function shownFolder(dir: string): string {
  if (!isAbsolute(dir)) return dir;
  const short = relative(process.cwd(), dir);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? dir : short;
}
