import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadChdb, type ChdbSession } from "../../src/store/chdb-module.ts";
import { writeAccessFiles } from "../../src/store/embedded-access.ts";
import { ENGINE_ARGUMENTS } from "../../src/store/engine-settings.ts";
import { stringLiteral } from "../../src/store/literal.ts";
import { CUSTOMER_ROLE, OPERATOR_ROLE, WRITER_ROLE } from "../../src/store/roles.ts";

/** Parameters of ClickHouse's HTTP interface that are no settings. */
const NO_SETTINGS = new Set([
  "query",
  "query_id",
  "database",
  "default_format",
  "role",
  "session_id",
  "wait_end_of_query",
  "user",
  "password",
  "compress",
]);
/** Settings that the engine in the process has no use for. */
const LEFT_OUT = new Set([
  "cancel_http_readonly_queries_on_client_close",
  "send_progress_in_http_headers",
  "http_headers_progress_interval_ms",
]);

/**
 * As much of a ClickHouse server's HTTP interface as the store's client uses, in front of ClickHouse in this process: ping, statements, settings,
 * roles, rows in RowBinary, typed errors. It shows that the client's side is right; it is no evidence about a real server.
 */
export interface ClickHouseShim {
  readonly url: string;
  /** Requests so far, as method and statement. */
  readonly statements: readonly string[];
  close(): Promise<void>;
}

export async function startClickHouseShim(dataDir: string, customerNames: readonly string[] = []): Promise<ClickHouseShim> {
  const chdb = await loadChdb();
  mkdirSync(dataDir, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), "zonemeter-shim-"));
  const connectionArgs = [`--config-file=${writeAccessFiles(join(scratch, "access"), customerNames)}`, ...ENGINE_ARGUMENTS];
  const lanes = new Map<string, Lane[]>();
  const sessions: ChdbSession[] = [];
  for (const [role, count] of [
    [WRITER_ROLE, 2],
    [OPERATOR_ROLE, 1],
    [CUSTOMER_ROLE, 1],
  ] as const) {
    for (let i = 0; i < count; i++) {
      const session = new chdb.Session(dataDir, { connectionArgs });
      await session.queryAsync(`SET ROLE ${role}`, { format: "Null" });
      sessions.push(session);
      lanes.set(role, [...(lanes.get(role) ?? []), new Lane(session)]);
    }
  }
  const statements: string[] = [];
  let files = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url!, "http://shim");
    if (url.pathname === "/ping") {
      response.end("Ok.\n");
      return;
    }
    const body = await bodyOf(request);
    const given = url.searchParams.get("query");
    const text = (given === null ? body.toString() : given).trim().replace(/;$/, "");
    statements.push(text);
    const id = url.searchParams.get("query_id") ?? "";
    const settings = [...url.searchParams]
      .filter(([name]) => !NO_SETTINGS.has(name) && !LEFT_OUT.has(name) && !name.startsWith("param_"))
      .map(([name, value]) => `${name} = ${/^-?[\d.]+$/.test(value) ? value : stringLiteral(value)}`);
    settings.push(`log_comment = ${stringLiteral(id)}`);
    const role = url.searchParams.get("role") ?? WRITER_ROLE;
    const startedMs = performance.now();
    try {
      const result = given === null || body.length === 0 ? await statement(role, text, settings) : await insert(role, text, body, settings);
      const summary = {
        read_rows: String(result.rowsRead),
        read_bytes: String(result.bytesRead),
        elapsed_ns: String(Math.round((performance.now() - startedMs) * 1e6)),
      };
      response.setHeader("X-ClickHouse-Query-Id", id);
      response.setHeader("X-ClickHouse-Summary", JSON.stringify(summary));
      response.end(result.bytes);
    } catch (error) {
      const message = String((error as Error).message);
      response.statusCode = 500;
      response.setHeader("X-ClickHouse-Exception-Code", /^Code: (\d+)/.exec(message)?.[1] ?? "1002");
      response.end(message);
    }
  };

  interface Outcome {
    readonly bytes: Uint8Array;
    readonly rowsRead: number;
    readonly bytesRead: number;
  }

  async function statement(role: string, text: string, settings: readonly string[]): Promise<Outcome> {
    const kill = /^KILL QUERY WHERE query_id = (.*) ASYNC$/.exec(text);
    if (kill !== null) return run(OPERATOR_ROLE, `KILL QUERY WHERE Settings['log_comment'] = ${kill[1]!} ASYNC`, "TabSeparated");
    const [, head, format] = /^([^]*?)(?: FORMAT (\w+))?$/.exec(text)!;
    // Definitions take settings of their own, and these are not theirs.
    const own = /^SELECT\b/.test(head!) && !/ SETTINGS /.test(head!.slice(-200)) ? ` SETTINGS ${settings.join(", ")}` : "";
    return run(role, `${head!}${own}`, format ?? "TabSeparated");
  }

  async function insert(role: string, text: string, rows: Uint8Array, settings: readonly string[]): Promise<Outcome> {
    const [, head, format] = /^([^]*?) FORMAT (\w+)$/.exec(text)!;
    const path = join(scratch, `${++files}.rows`);
    writeFileSync(path, rows);
    try {
      const use = [...settings, "use_structure_from_insertion_table_in_table_functions = 1", "max_threads = 1"].join(", ");
      return await run(role, `${head!} SELECT * FROM file(${stringLiteral(path)}, ${stringLiteral(format!)}) SETTINGS ${use}`, "Null");
    } finally {
      rmSync(path, { force: true });
    }
  }

  async function run(role: string, text: string, format: string): Promise<Outcome> {
    const own = lanes.get(role);
    if (own === undefined) throw new Error("Code: 511. DB::Exception: There is no such role. (UNKNOWN_ROLE)");
    const result = await own.reduce((a, b) => (a.waiting <= b.waiting ? a : b)).run(text, format);
    return { bytes: result.bytes(), rowsRead: result.rowsRead, bytesRead: result.bytesRead };
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statements,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([...lanes.values()].flat().map((lane) => lane.idle()));
      for (const session of sessions) session.close();
      await chdb.drainPending();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** One session, which takes one statement after another. */
class Lane {
  waiting = 0;
  readonly #session: ChdbSession;
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: ChdbSession) {
    this.#session = session;
  }

  run(text: string, format: string): ReturnType<ChdbSession["queryAsync"]> {
    this.waiting += 1;
    const result = this.#last.then(() => this.#session.queryAsync(text, { format }));
    this.#last = result.then(
      () => (this.waiting -= 1),
      () => (this.waiting -= 1),
    );
    return result;
  }

  async idle(): Promise<void> {
    await this.#last;
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
