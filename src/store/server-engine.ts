import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { messageOf, STORE_QUEUE_STATEMENTS, STORE_SERVER_CONNECTIONS, STORE_STATEMENT_TIMEOUT_MS, ZonemeterError } from "../core/index.ts";
import { withDeadline, type Logger } from "../runtime/index.ts";
import { loadServerClient, type ServerClient } from "./server-client.ts";
import { engineFault } from "./engine-fault.ts";
import { SERVER_STATEMENT_SETTINGS } from "./engine-settings.ts";
import type { Engine, EngineQuery, EngineResult, RowInsert, WhatWasRead } from "./engine.ts";
import { identifier, stringLiteral } from "./literal.ts";
import { CUSTOMER_ROLE } from "./roles.ts";
import { singleSelect } from "./single-select.ts";

export interface ServerOptions {
  /** `http://` or `https://`, perhaps with user and password. */
  readonly url: string;
  /** Instead of those of the address. */
  readonly user?: string | null;
  readonly password?: string | null;
  /** PEM file of who may have signed the server's certificate, beside those whom the machine trusts. */
  readonly tlsCa?: string | null;
  readonly logger: Logger;
}

/** An insert is one block, so that its token stands for all of its rows: the largest comes to far fewer. */
const INSERT_BLOCK_ROWS = 10_000_000;

/**
 * Connects to a ClickHouse server over HTTP. Throws ZonemeterError `unavailable` where it does not answer or the client is not installed,
 * `config` where the address or the certificate file can't be used.
 */
export async function openServerEngine(options: ServerOptions): Promise<Engine> {
  const createClient = await loadServerClient();
  const url = parseUrl(options.url);
  const name = `ClickHouse server ${url.protocol}//${url.host}`;
  const caFile = options.tlsCa ?? null;
  const username = options.user ?? decodeURIComponent(url.username);
  const password = options.password ?? decodeURIComponent(url.password);
  const client = createClient({
    url: `${url.protocol}//${url.host}${url.pathname}`,
    ...(username === "" ? {} : { username, password }),
    ...(caFile === null ? {} : { tls: { ca_cert: readCertificate(caFile) } }),
    application: "zonemeter",
    request_timeout: STORE_STATEMENT_TIMEOUT_MS,
    max_open_connections: STORE_SERVER_CONNECTIONS,
    clickhouse_settings: SERVER_STATEMENT_SETTINGS,
    log: { level: 127 },
  });
  const engine = new ServerEngine(client, name, options.logger);
  try {
    await engine.run("SELECT 1 FORMAT Null");
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Throws what connecting would throw of the options alone. */
export function checkServerOptions({ url, tlsCa = null }: Pick<ServerOptions, "url" | "tlsCa">): void {
  parseUrl(url);
  if (tlsCa !== null) readCertificate(tlsCa);
}

/** Statements go over a few connections side by side. Each carries its role, so none can leave another in a wrong one. */
class ServerEngine implements Engine {
  readonly #client: ServerClient;
  readonly #name: string;
  readonly #logger: Logger;
  readonly forCustomers: Pick<Engine, "query"> = {
    query: async (query) => this.#query({ ...query, text: singleSelect(query.text) }, CUSTOMER_ROLE),
  };
  readonly #reading = new Map<string, AbortController>();
  #running = 0;
  #closing: Promise<void> | null = null;

  constructor(client: ServerClient, name: string, logger: Logger) {
    this.#client = client;
    this.#name = name;
    this.#logger = logger;
  }

  async run(statement: string): Promise<void> {
    await this.#counted(async () => {
      await this.#client.command({ query: statement });
    });
  }

  async insert(insert: RowInsert): Promise<void> {
    const names = insert.columns.map((column) => identifier(column.name)).join(", ");
    await this.#counted(async () => {
      const { stream } = await this.#client.exec({
        query: `INSERT INTO ${insert.table} (${names}) FORMAT RowBinary`,
        values: Readable.from([insert.rows]),
        clickhouse_settings: {
          ...(insert.token === null ? { insert_deduplicate: 0 } : { insert_deduplicate: 1, insert_deduplication_token: insert.token }),
          async_insert: 0,
          max_insert_threads: "1",
          // On a cluster, acknowledged means stored.
          distributed_foreground_insert: 1,
          min_insert_block_size_rows: String(INSERT_BLOCK_ROWS),
          max_insert_block_size: String(INSERT_BLOCK_ROWS),
          wait_end_of_query: 1,
        },
      });
      for await (const _chunk of stream);
    });
  }

  query(query: EngineQuery): Promise<EngineResult> {
    return this.#query(query, null);
  }

  async measure(query: EngineQuery): Promise<WhatWasRead> {
    const { read } = await this.query(query);
    return read ?? { rows: 0n, bytes: 0n };
  }

  async #query({ id, signal, text }: EngineQuery, role: string | null): Promise<EngineResult> {
    signal.throwIfAborted();
    const own = new AbortController();
    const onAbort = (): void => {
      own.abort(signal.reason);
      // The server ends what reads when its client has gone; this also ends what its setting spares.
      this.kill(id).catch((error: unknown) => this.#logger.warn({ id, error: messageOf(error) }, "a statement could not be ended"));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#reading.set(id, own);
    const startedMs = performance.now();
    try {
      return await this.#counted(async () => {
        const { stream, summary } = await this.#client.exec({
          query: `${text} FORMAT RowBinary`,
          query_id: id,
          abort_signal: own.signal,
          ...(role === null ? {} : { role }),
          clickhouse_settings: {
            max_execution_time: STORE_STATEMENT_TIMEOUT_MS / 1000,
            cancel_http_readonly_queries_on_client_close: 1,
            // So that a fault late in a statement is one, and no end of rows.
            wait_end_of_query: 1,
          },
        });
        const chunks: Uint8Array[] = [];
        for await (const chunk of stream) chunks.push(chunk as Uint8Array);
        return {
          bytes: Buffer.concat(chunks),
          elapsedMs: summary === undefined ? performance.now() - startedMs : Number(summary.elapsed_ns) / 1e6,
          read: summary === undefined ? null : { rows: BigInt(summary.read_rows), bytes: BigInt(summary.read_bytes) },
        };
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#reading.delete(id);
    }
  }

  async runAsCustomer(statement: string): Promise<Uint8Array> {
    return this.#counted(async () => {
      const { stream } = await this.#client.exec({ query: statement, role: CUSTOMER_ROLE, clickhouse_settings: { wait_end_of_query: 1 } });
      const chunks: Uint8Array[] = [];
      for await (const chunk of stream) chunks.push(chunk as Uint8Array);
      return Buffer.concat(chunks);
    });
  }

  async kill(id: string): Promise<void> {
    await this.run(`KILL QUERY WHERE query_id = ${stringLiteral(id)} ASYNC`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    for (const reading of this.#reading.values()) reading.abort(closed());
    await this.#client.close();
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw closed();
    if (this.#running >= STORE_QUEUE_STATEMENTS) {
      throw new ZonemeterError("unavailable", `${this.#running} statements wait for ${this.#name} already: try again later.`, {
        kind: "busy",
      });
    }
    this.#running += 1;
    try {
      // The client's own limit counts silence on the connection; this one counts from the call.
      return await withDeadline(STORE_STATEMENT_TIMEOUT_MS, `A statement for ${this.#name}`, work);
    } catch (error) {
      throw this.#closing === null ? engineFault(error, this.#name) : closed();
    } finally {
      this.#running -= 1;
    }
  }
}

function closed(): ZonemeterError {
  return new ZonemeterError("unavailable", "The store is closed.");
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ZonemeterError("config", "The store's address is no http:// or https:// URL, such as http://127.0.0.1:8123.");
  return url;
}

function readCertificate(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ZonemeterError("config", `The certificate file ${path} cannot be read (${messageOf(error)}): correct store.tls_ca.`, {
      cause: error,
    });
  }
}
