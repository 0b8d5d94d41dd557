import { Option } from "commander";
import { request } from "undici";
import { messageOf, ZonemeterError } from "../core/index.ts";
import { readResultJson } from "../oxql/index.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { renderCsv, renderNdjson } from "./render-rows.ts";
import { renderTables } from "./render-table.ts";
import { DEFAULT_CUSTOMER_URL, DEFAULT_OPERATOR_URL } from "./ports.ts";
import { writeAll } from "./write.ts";

/** Time for a whole query, a little more than the server itself gives one. */
const QUERY_DEADLINE_MS = 35_000;

const FORMATS = ["table", "json", "ndjson", "csv"] as const;

interface QueryFlags {
  readonly url?: string;
  readonly format: (typeof FORMATS)[number];
  readonly as: "operator" | "customer";
  readonly summaries?: true;
}

/** `zonemeter query 'OXQL'` */
export const queryCommand: CommandDefinition = {
  define(program, run) {
    program
      .command("query")
      .description("ask an OxQL question and print the answer")
      .argument("<oxql>", "the query, in one argument (quote it)")
      .option("--url <url>", `the API to ask (default: $ZONEMETER_URL, else ${DEFAULT_OPERATOR_URL})`)
      .addOption(new Option("--format <format>", "how to print the answer").choices(FORMATS).default("table"))
      .addOption(new Option("--as <principal>", "whose view to ask for").choices(["operator", "customer"]).default("operator"))
      .option("--summaries", "with --format json: include what the engine ran")
      .action((text: string, flags: QueryFlags) => run((context) => query(text, flags, context)));
  },
};

async function query(text: string, flags: QueryFlags, context: CommandContext): Promise<number> {
  const fallback = flags.as === "customer" ? DEFAULT_CUSTOMER_URL : DEFAULT_OPERATOR_URL;
  const base = flags.url ?? context.env["ZONEMETER_URL"] ?? fallback;
  const body = await ask(base, text, flags.summaries === true, context.signal);
  if (flags.format === "json") {
    await writeAll(context.stdout, [`${body}\n`]);
    return 0;
  }
  const tables = readResultJson(body);
  const output = { table: () => [renderTables(tables)], csv: () => renderCsv(tables), ndjson: () => renderNdjson(tables) }[flags.format]();
  await writeAll(context.stdout, output);
  return 0;
}

/** Sends the query and gives the body of a 200 answer as text. */
async function ask(base: string, query: string, includeSummaries: boolean, signal: AbortSignal): Promise<string> {
  let url: URL;
  try {
    url = new URL("/v1/system/timeseries/query", base);
  } catch {
    throw new ZonemeterError("usage", `--url "${base}" is not a URL: write it as ${DEFAULT_OPERATOR_URL}.`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ZonemeterError("usage", `--url "${base}" is not an http or https URL: write it as ${DEFAULT_OPERATOR_URL}.`);
  }
  let status: number;
  let text: string;
  try {
    const answer = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, ...(includeSummaries ? { include_summaries: true } : {}) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(QUERY_DEADLINE_MS)]),
    });
    status = answer.statusCode;
    text = await answer.body.text();
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ZonemeterError(
      "unavailable",
      `No answer from ${url.origin} (${messageOf(error)}): start it with \`zonemeter up\`, or name another API with --url.`,
      {
        cause: error,
      },
    );
  }
  if (status === 200) return text;
  throw new ZonemeterError(status >= 500 ? "unavailable" : "query", errorMessage(text) ?? `${url.origin} answered with status ${status}.`);
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
