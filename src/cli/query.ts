import { Option } from "commander";
import { systemClock, ZonemeterError } from "../core/index.ts";
import { parse } from "../oxql/index.ts";
import { ApiConnection, withConnection, type ConnectionFlags } from "./api-connection.ts";
import { askQuery, readAnswer, type QueryRequest } from "./ask-query.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { renderCsv, renderNdjson } from "./render-rows.ts";
import { renderTables } from "./render-table.ts";
import type { SeriesOrder } from "./result-rows.ts";
import { DEFAULT_CUSTOMER_URL, DEFAULT_OPERATOR_URL } from "./ports.ts";
import { writeAll } from "./write.ts";

const FORMATS = ["table", "json", "ndjson", "csv"] as const;

interface QueryFlags extends ConnectionFlags, QueryRequest {
  readonly format: (typeof FORMATS)[number];
  readonly as: "operator" | "customer";
}

/** `zonemeter query 'OXQL'` */
export const queryCommand: CommandDefinition = {
  define(program, run) {
    withConnection(
      program
        .command("query")
        .description("ask an OxQL question and print the answer")
        .argument("<oxql>", "the query in one argument, such as 'get zone_resource:memory_resident | last 1'"),
    )
      .addOption(new Option("--format <format>", "how to print the answer").choices(FORMATS).default("table"))
      .addOption(new Option("--as <principal>", "whose view to ask for").choices(["operator", "customer"]).default("operator"))
      .option("--project <project>", "with --as customer: ask for this project alone, by name or id")
      .option("--summaries", "with --format json: include what the engine ran")
      .action((text: string, flags: QueryFlags) => run((context) => query(text, flags, context)));
  },
};

async function query(text: string, flags: QueryFlags, context: CommandContext): Promise<number> {
  const fallback = flags.as === "customer" ? DEFAULT_CUSTOMER_URL : DEFAULT_OPERATOR_URL;
  if (flags.project !== undefined && flags.as !== "customer")
    throw new ZonemeterError("usage", "--project is for the customer API: add --as customer.");
  const api = await ApiConnection.open(flags, context, fallback);
  let body: string;
  try {
    body = await askQuery(api, text, flags, context.signal);
  } finally {
    await api.close();
  }
  const tables = readAnswer(body, api.name);
  if (flags.format === "json") {
    await writeAll(context.stdout, [`${body}\n`]);
    return 0;
  }
  const order = seriesOrder(text);
  const renderings = {
    table: () => [renderTables(tables, order)],
    csv: () => renderCsv(tables, order),
    ndjson: () => renderNdjson(tables, order),
  };
  const output = renderings[flags.format]();
  await writeAll(context.stdout, output);
  return 0;
}

/** A ranked answer comes best first, which must not be sorted away. */
function seriesOrder(text: string): SeriesOrder {
  const { operations } = parse(text, { nowNs: systemClock.wallNs() });
  return operations.some(({ kind }) => kind === "rank") ? "as-answered" : "by-fields";
}
