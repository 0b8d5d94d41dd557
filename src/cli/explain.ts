import { systemClock, ZonemeterError } from "../core/index.ts";
import { parse, plan, printPlan } from "../oxql/index.ts";
import { loadCatalogue } from "../schema/index.ts";
import { ApiConnection, withConnection, type ConnectionFlags } from "./api-connection.ts";
import { askQuery, readAnswer } from "./ask-query.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { DEFAULT_OPERATOR_URL } from "./ports.ts";
import { writeAll } from "./write.ts";

/** `zonemeter explain 'OXQL'` */
export const explainCommand: CommandDefinition = {
  define(program, run) {
    withConnection(
      program
        .command("explain")
        .description("say how an OxQL question is answered: the plan, then what the engine ran for it")
        .argument("<oxql>", "the query, in one argument (quote it)"),
    ).action((text: string, flags: ConnectionFlags) => run((context) => explain(text, flags, context)));
  },
};

/** The plan is made here, over the product's own timeseries; the statements are those of one run at the operator API. */
async function explain(text: string, flags: ConnectionFlags, context: CommandContext): Promise<number> {
  const planned = plan(parse(text, { nowNs: systemClock.wallNs() }), loadCatalogue(), { windows: true });
  await writeAll(context.stdout, [`${printPlan(planned)}\n`]);
  const api = await ApiConnection.open(flags, context, DEFAULT_OPERATOR_URL);
  let body: string;
  try {
    body = await askQuery(api, text, { summaries: true }, context.signal);
  } finally {
    await api.close();
  }
  const tables = readAnswer(body, api.name);
  const points = tables.flatMap(({ timeseries }) => timeseries).reduce((sum, series) => sum + series.points.timestampsNs.length, 0);
  const statements = summariesOf(body, api.name);
  const lines = statements.map(({ query, elapsed_ms: elapsedMs, io_summary: { read } }, index) => {
    return `statement ${index + 1}: ${elapsedMs} ms, ${read.rows} rows, ${read.bytes} bytes\n    ${query}\n`;
  });
  await writeAll(context.stdout, [
    ...lines,
    `answered with ${tables.length} ${tables.length === 1 ? "table" : "tables"}, ${points} points\n`,
  ]);
  return 0;
}

interface Summary {
  readonly query: string;
  readonly elapsed_ms: number;
  readonly io_summary: { readonly read: { readonly rows: number; readonly bytes: number } };
}

function summariesOf(body: string, name: string): readonly Summary[] {
  const { query_summaries: summaries } = JSON.parse(body) as { query_summaries?: readonly Summary[] | null };
  if (Array.isArray(summaries)) return summaries as readonly Summary[];
  throw new ZonemeterError("unavailable", `${name} does not say what it ran for a query: is it an older version?`);
}
