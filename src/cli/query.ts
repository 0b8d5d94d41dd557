import { Option } from "commander";
import { ZonemeterError } from "../core/index.ts";
import { readResultJson, type Table } from "../oxql/index.ts";
import { ApiConnection, withConnection, type ConnectionFlags } from "./api-connection.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { renderCsv, renderNdjson } from "./render-rows.ts";
import { renderTables } from "./render-table.ts";
import { DEFAULT_CUSTOMER_URL, DEFAULT_OPERATOR_URL } from "./ports.ts";
import { writeAll } from "./write.ts";

const FORMATS = ["table", "json", "ndjson", "csv"] as const;

interface QueryFlags extends ConnectionFlags {
  readonly format: (typeof FORMATS)[number];
  readonly as: "operator" | "customer";
  readonly project?: string;
  readonly summaries?: true;
}

/** `zonemeter query 'OXQL'` */
export const queryCommand: CommandDefinition = {
  define(program, run) {
    withConnection(
      program
        .command("query")
        .description("ask an OxQL question and print the answer")
        .argument("<oxql>", "the query, in one argument (quote it)"),
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
    body = await ask(api, text, flags, context.signal);
  } finally {
    await api.close();
  }
  const tables = readAnswer(body, api.name);
  if (flags.format === "json") {
    await writeAll(context.stdout, [`${body}\n`]);
    return 0;
  }
  const output = { table: () => [renderTables(tables)], csv: () => renderCsv(tables), ndjson: () => renderNdjson(tables) }[flags.format]();
  await writeAll(context.stdout, output);
  return 0;
}

/** Sends the query and gives the body of a 200 answer as text. */
async function ask(api: ApiConnection, query: string, { project, summaries }: QueryFlags, signal: AbortSignal): Promise<string> {
  const path = project === undefined ? "/v1/system/timeseries/query" : `/v1/timeseries/query?project=${encodeURIComponent(project)}`;
  const { status, text } = await api.post(path, { query, ...(summaries === true ? { include_summaries: true } : {}) }, signal);
  if (status === 200) return text;
  const message = errorMessage(text) ?? `${api.name} answered with status ${status}.`;
  switch (status) {
    case 401:
      throw new ZonemeterError(
        "unauthorized",
        `${api.name} does not know who asks (${message}): give a token that it knows with --token-file or $ZONEMETER_TOKEN.`,
      );
    case 403:
      throw new ZonemeterError("forbidden", `${api.name} refuses (${message}): ask with another token, or another API with --as.`);
    case 404:
      throw new ZonemeterError(
        "not_found",
        project === undefined ? `${api.name} has no such path: is it another program?` : `There is no project ${JSON.stringify(project)}.`,
      );
    default:
      throw new ZonemeterError(status >= 500 || status === 429 ? "unavailable" : "query", message);
  }
}

/** The tables of an answer, also where only its text is printed: what another program says is no data. */
function readAnswer(body: string, name: string): Table[] {
  try {
    return readResultJson(body);
  } catch (error) {
    throw new ZonemeterError("unavailable", `${name} answered, but not with the result of a query: is it another program?`, {
      cause: error,
    });
  }
}

/** The message of a Dropshot error body, or null where the text is none. */
function errorMessage(text: string): string | null {
  try {
    const body = JSON.parse(text) as { message?: unknown };
    return typeof body.message === "string" ? body.message : null;
  } catch {
    return null;
  }
}
