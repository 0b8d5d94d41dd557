import type { TimeseriesSchema } from "../core/index.ts";
import { loadCatalogue } from "../schema/index.ts";
import type { CommandContext } from "./command.ts";
import { writeAll } from "./write.ts";

const HEAD = ["timeseries", "datum type", "units", "visibility", "fields"];

/** `zonemeter schema list`: one line for each timeseries, in the order of names. Enumerated values follow their field in braces. */
export async function listSchemas(dir: string, context: CommandContext): Promise<number> {
  const rows = [HEAD, ...[...loadCatalogue(dir)].map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  await writeAll(
    context.stdout,
    rows.map((row) => `${row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!))).join("  ")}\n`),
  );
  return 0;
}

function rowOf(schema: TimeseriesSchema): string[] {
  const fields = schema.fields.map(({ name, values }) => (values === null ? name : `${name}{${values.join(",")}}`));
  return [schema.timeseriesName, schema.datumType, schema.units, schema.visibility, fields.join(" ")];
}
