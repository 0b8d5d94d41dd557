import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { STORE_CLOSE_TIMEOUT_MS, STORE_READ_SESSIONS, STORE_STATEMENT_TIMEOUT_MS, ZonemeterError, messageOf } from "../core/index.ts";
import { sleep, type Logger } from "../runtime/index.ts";
import { loadChdb, type ChdbModule, type ChdbResult, type ChdbSession } from "./chdb-module.ts";
import { inUse, isHeldElsewhere, openDataDirectory, unusable, type DataDirectory } from "./data-directory.ts";
import { placeAccessFiles, setRole, type AccessFiles } from "./embedded-access.ts";
import { removeEmptyDefinitions } from "./empty-definitions.ts";
import { engineFault } from "./engine-fault.ts";
import { ENGINE_ARGUMENTS } from "./engine-settings.ts";
import type { Engine, EngineQuery, EngineResult, RowInsert, WhatWasRead } from "./engine.ts";
import { identifier, stringLiteral } from "./literal.ts";
import { CUSTOMER_ROLE, OPERATOR_ROLE, WRITER_ROLE } from "./roles.ts";
import { SessionQueue, Slots } from "./session-queue.ts";
import { singleSelect } from "./single-select.ts";

/** A kill finds nothing until the engine has registered the statement, so it is repeated this often while the statement runs. */
type Format = "RowBinary" | "JSONCompact";

const KILL_INTERVAL_MS = 100;

/**
 * Starts ClickHouse inside this process on `dataDir`. Throws ZonemeterError `unavailable` where the platform has no build or the directory
 * can't be used, `conflict` where another process holds it. Questions of customers get rows of the timeseries named, and of no other.
 */
export async function openEmbeddedEngine(dataDir: string, logger: Logger, customerNames: Iterable<string> = []): Promise<Engine> {
  const chdb = await loadChdb();
  const directory = await openDataDirectory(dataDir);
  try {
    removeEmptyDefinitions(directory.enginePath, logger);
  } catch (error) {
    await directory.release();
    throw error;
  }
  const access = placeAccessFiles(directory.path, customerNames);
  const sessions: ChdbSession[] = [];
  try {
    const connectionArgs = [`--config-file=${access.config}`, ...ENGINE_ARGUMENTS];
    for (const role of SESSION_ROLES) {
      const session = new chdb.Session(directory.enginePath, { connectionArgs });
      sessions.push(session);
      await session.queryAsync(setRole(role), { format: "Null" });
    }
  } catch (error) {
    for (const session of sessions) session.close();
    access.remove();
    const held = isHeldElsewhere(directory.enginePath);
    await directory.release();
    if (held) throw inUse(dataDir);
    if (/only one active data directory/.test(messageOf(error))) {
      throw new ZonemeterError(
        "conflict",
        `Data directory "${dataDir}" cannot be opened: this process has another one open, and the embedded engine allows one.`,
        { cause: error },
      );
    }
    throw new ZonemeterError(
      "unavailable",
      `The embedded engine cannot open data directory "${dataDir}": its files may be damaged, so move it away to start anew.`,
      { cause: error },
    );
  }
  return new EmbeddedEngine(chdb, directory, access, sessions, logger);
}

/** One session writes, one ends statements of others, one asks for customers, the others ask for operators. */
const SESSION_ROLES = [
  WRITER_ROLE,
  WRITER_ROLE,
  CUSTOMER_ROLE,
  ...Array.from({ length: STORE_READ_SESSIONS }, () => OPERATOR_ROLE as typeof OPERATOR_ROLE),
] as const;

/** chdb: reads share some sessions, writes have one, kills another, so none waits for the others. */
class EmbeddedEngine implements Engine {
  readonly #chdb: ChdbModule;
  readonly #directory: DataDirectory;
  readonly #access: AccessFiles;
  readonly #sessions: readonly ChdbSession[];
  readonly #logger: Logger;
  readonly #readers: SessionQueue;
  readonly #customers: SessionQueue;
  readonly #writer: SessionQueue;
  readonly #killer: SessionQueue;
  readonly #what: string;
  readonly forCustomers: Pick<Engine, "query"> = {
    query: async (query) => this.#query(this.#customers, { ...query, text: singleSelect(query.text) }),
  };
  readonly #reading = new Set<string>();
  #files = 0;
  #closing: Promise<void> | null = null;

  constructor(chdb: ChdbModule, directory: DataDirectory, access: AccessFiles, sessions: readonly ChdbSession[], logger: Logger) {
    this.#chdb = chdb;
    this.#directory = directory;
    this.#access = access;
    this.#sessions = sessions;
    this.#logger = logger;
    this.#what = `data directory "${directory.path}"`;
    this.#writer = new SessionQueue("the store's writer", sessions.slice(0, 1));
    this.#killer = new SessionQueue("the store's control", sessions.slice(1, 2));
    const slots = new Slots(STORE_READ_SESSIONS);
    this.#customers = new SessionQueue("the store's readers", sessions.slice(2, 3), slots);
    this.#readers = new SessionQueue("the store's readers", sessions.slice(3), slots);
  }

  async run(statement: string): Promise<void> {
    await this.#on(this.#writer, { text: () => statement, signal: null, abandon: () => undefined });
  }

  /** Through a file, since chdb takes bytes only as text formats: RowBinary takes half the engine's time of tab-separated text. */
  async insert(insert: RowInsert): Promise<void> {
    const path = join(this.#directory.inboxPath, `${++this.#files}.rowbinary`);
    const names = insert.columns.map((column) => identifier(column.name)).join(", ");
    const structure = insert.columns.map((column) => `${identifier(column.name)} ${column.type}`).join(", ");
    const settings = insert.token === null ? "insert_deduplicate = 0" : `insert_deduplication_token = ${stringLiteral(insert.token)}`;
    // One thread, so that the same rows always make the same blocks, which is what a token is about.
    const text = `INSERT INTO ${insert.table} (${names}) SELECT ${names} FROM file(${stringLiteral(path)}, 'RowBinary', ${stringLiteral(structure)}) SETTINGS ${settings}, max_threads = 1`;
    try {
      await writeFile(path, insert.rows, { mode: 0o600 });
    } catch (error) {
      rmSync(path, { force: true });
      throw unusable(this.#directory.path, error);
    }
    try {
      await this.#on(this.#writer, { text: () => text, signal: null, abandon: () => undefined });
    } finally {
      rmSync(path, { force: true });
    }
  }

  query(query: EngineQuery): Promise<EngineResult> {
    return this.#query(this.#readers, query);
  }

  async #query(queue: SessionQueue, query: EngineQuery): Promise<EngineResult> {
    const result = await this.#read(queue, query, "RowBinary");
    return { bytes: result.bytes(), elapsedMs: result.elapsed * 1000, read: null };
  }

  /** chdb counts the rows of the result; only its JSON says what was read. */
  async measure(query: EngineQuery): Promise<WhatWasRead> {
    const counted = { ...query, text: `SELECT sum(ignore(*)) FROM (${query.text})` };
    const result = await this.#read(this.#readers, counted, "JSONCompact");
    const { statistics } = JSON.parse(Buffer.from(result.bytes()).toString()) as { statistics: { rows_read: number; bytes_read: number } };
    return { rows: BigInt(statistics.rows_read), bytes: BigInt(statistics.bytes_read) };
  }

  async #read(queue: SessionQueue, query: EngineQuery, format: Format): Promise<ChdbResult> {
    this.#reading.add(query.id);
    try {
      return await this.#on(
        queue,
        {
          text: (leftMs) =>
            `${query.text} SETTINGS log_comment = ${stringLiteral(query.id)}, max_execution_time = ${(leftMs / 1000).toFixed(3)}`,
          signal: query.signal,
          abandon: (ended) => void this.#killUntil(query.id, ended),
        },
        format,
      );
    } finally {
      this.#reading.delete(query.id);
    }
  }

  async runAsCustomer(statement: string): Promise<Uint8Array> {
    const result = await this.#on(this.#customers, { text: () => statement, signal: null, abandon: () => undefined });
    return result.bytes();
  }

  async kill(id: string): Promise<void> {
    const text = `KILL QUERY WHERE Settings['log_comment'] = ${stringLiteral(id)} ASYNC`;
    await this.#on(this.#killer, { text: () => text, signal: null, abandon: () => undefined });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const quiet = Promise.all([this.#readers.close(), this.#customers.close(), this.#writer.close()]).then(() => undefined);
    for (const id of this.#reading) void this.#killUntil(id, quiet);
    await Promise.race([quiet, sleep(STORE_CLOSE_TIMEOUT_MS)]);
    await Promise.race([this.#killer.close(), sleep(STORE_CLOSE_TIMEOUT_MS)]);
    // A session with work left closes itself when that has ended.
    for (const session of this.#sessions) session.close();
    await Promise.race([this.#chdb.drainPending(), sleep(STORE_CLOSE_TIMEOUT_MS)]);
    this.#access.remove();
    await this.#directory.release();
  }

  async #on(
    queue: SessionQueue,
    job: { text: (leftMs: number) => string; signal: AbortSignal | null; abandon: (ended: Promise<void>) => void },
    format: Format = "RowBinary",
  ): Promise<ChdbResult> {
    try {
      return await queue.run({ ...job, format, timeoutMs: STORE_STATEMENT_TIMEOUT_MS });
    } catch (error) {
      if (job.signal?.aborted === true && error === job.signal.reason) throw error;
      throw engineFault(error, this.#what);
    }
  }

  /** Asks the engine to end a statement until it has. The statement's own time limit ends it where this fails. */
  async #killUntil(id: string, ended: Promise<void>): Promise<void> {
    let over = false;
    void ended.then(() => (over = true));
    for (let waitedMs = 0; !over && waitedMs < STORE_STATEMENT_TIMEOUT_MS; waitedMs += KILL_INTERVAL_MS) {
      try {
        await this.kill(id);
      } catch (error) {
        this.#logger.warn({ id, error: messageOf(error) }, "a statement could not be ended");
        return;
      }
      await sleep(KILL_INTERVAL_MS);
    }
  }
}
