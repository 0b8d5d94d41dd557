import { Option, type Command } from "commander";
import { renderMetricsDoc, loadCatalogue, PRODUCT_SCHEMAS_DIR } from "../schema/index.ts";
import type { CommandDefinition } from "./command.ts";
import type { FindingFormat } from "./print-findings.ts";
import { checkSchemas } from "./schema-check.ts";
import { diffAgainst } from "./schema-diff.ts";
import { listSchemas } from "./schema-list.ts";
import { lockSchemas } from "./schema-lock.ts";
import { writeAll } from "./write.ts";

/** `zonemeter schema check | lock | diff | list | docs` */
export const schemaCommand: CommandDefinition = {
  define(program, run) {
    const group = program.command("schema").description("check, freeze, compare and list definitions of timeseries");

    withFormat(group.command("check"))
      .description("check definition files, and without a path the product's own with its lock file and visibility table")
      .argument("[path...]", "TOML files, or folders of them")
      .action((paths: string[], flags: { format: FindingFormat }) => run((context) => checkSchemas(paths, flags.format, context)));

    withFormat(withFolder(group.command("lock")))
      .description("freeze the timeseries of a folder in its lock file")
      .option("--check", "only check that the lock file is current")
      .option("--widen <name>", "let customers see this timeseries from now on (repeatable)", collect)
      .action((flags: { check?: true; widen?: string[]; dir: string; format: FindingFormat }) =>
        run((context) =>
          lockSchemas({ dir: flags.dir, onlyCheck: flags.check === true, widen: flags.widen ?? [], format: flags.format }, context),
        ),
      );

    withFormat(withFolder(group.command("diff")))
      .description("check that released timeseries have not changed since an earlier state")
      .argument("<base>", "a folder of TOML files, or a git revision")
      .option("--widen <name>", "let customers see this timeseries from now on (repeatable)", collect)
      .action((base: string, flags: { widen?: string[]; dir: string; format: FindingFormat }) =>
        run((context) => diffAgainst(base, { dir: flags.dir, widen: flags.widen ?? [], format: flags.format }, context)),
      );

    withFolder(group.command("list"))
      .description("list timeseries with their types, units and fields, and who may see them")
      .action((flags: { dir: string }) => run((context) => listSchemas(flags.dir, context)));

    withFolder(group.command("docs"))
      .description("print the page about every timeseries, in Markdown")
      .action((flags: { dir: string }) =>
        run(async (context) => {
          await writeAll(context.stdout, [renderMetricsDoc(loadCatalogue(flags.dir))]);
          return 0;
        }),
      );
  },
};

function withFormat(command: Command): Command {
  return command.addOption(new Option("--format <format>", "how to print findings").choices(["text", "github"]).default("text"));
}

function withFolder(command: Command): Command {
  return command.addOption(new Option("--dir <folder>", "folder of definitions").default(PRODUCT_SCHEMAS_DIR, "the product's own"));
}

function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}
