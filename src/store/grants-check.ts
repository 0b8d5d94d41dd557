import { messageOf } from "../core/index.ts";
import { ask } from "./ask.ts";
import type { Engine } from "./engine.ts";
import { stringLiteral } from "./literal.ts";
import { NARROW_TABLES } from "./narrow-tables.ts";
import { RowBinaryReader } from "./row-binary-reader.ts";
import { DATABASE } from "./statements.ts";

/** One attempt of a customer, and what came of it. */
export interface Attempt {
  readonly statement: string;
  /** `leak`: hidden rows or names came back. `tells`: the answer differs from that for a name that does not exist. */
  readonly outcome: "refused" | "nothing" | "tells" | "leak";
}

const T = `${DATABASE}.measurements_u64`;
const [D, N] = [stringLiteral(DATABASE), stringLiteral("measurements_u64")];

/** Statements that must not succeed, whatever they return. */
const READS: readonly string[] = [
  ...NARROW_TABLES.map(({ name }) => `SELECT count() FROM ${DATABASE}.${name}`),
  `SELECT * FROM ${T} LIMIT 1`,
  `WITH hidden AS (SELECT * FROM ${T}) SELECT * FROM hidden LIMIT 1`,
  `SELECT 1 WHERE 1 IN (SELECT timeseries_key FROM ${T})`,
  `SELECT 1 WHERE 1 IN ${T}`,
  `SELECT * FROM oximeter.measurements_u64 AS a JOIN ${T} AS b USING timeseries_key LIMIT 1`,
  `SELECT * FROM merge(${D}, '.*') LIMIT 1`,
  `SELECT * FROM remote('127.0.0.1', ${D}, ${N}) LIMIT 1`,
  `SELECT * FROM remoteSecure('127.0.0.1', ${D}, ${N}) LIMIT 1`,
  `SELECT * FROM cluster('default', ${T}) LIMIT 1`,
  `SELECT * FROM clusterAllReplicas('default', ${T}) LIMIT 1`,
  `SELECT * FROM loop(${T}) LIMIT 1`,
  `SELECT * FROM mergeTreeIndex(${D}, ${N}) LIMIT 1`,
  `SELECT * FROM dictionary('${DATABASE}.any') LIMIT 1`,
  `SELECT dictGet('${DATABASE}.any', 'a', toUInt64(1))`,
  `SELECT joinGet('${DATABASE}.any', 'a', 1)`,
  `SELECT hasColumnInTable(${D}, ${N}, 'datum')`,
  "SELECT * FROM file('*', 'LineAsString') LIMIT 1",
  "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString') LIMIT 1",
  `DESCRIBE TABLE ${T}`,
  `EXISTS TABLE ${T}`,
  `SHOW CREATE TABLE ${T}`,
  `SHOW CREATE DATABASE ${DATABASE}`,
  `CHECK TABLE ${T}`,
  `INSERT INTO ${T} (timeseries_name) VALUES ('a:b')`,
  `ALTER TABLE ${T} DELETE WHERE 1`,
  `DROP TABLE ${T}`,
  `CREATE TABLE oximeter.mine AS ${T}`,
  `CREATE VIEW oximeter.mine AS SELECT * FROM ${T}`,
];

/** Statements that may succeed, and then must not show a hidden name. */
const LISTINGS: readonly string[] = [
  "SHOW DATABASES",
  `SHOW TABLES FROM ${DATABASE}`,
  `SHOW COLUMNS FROM measurements_u64 FROM ${DATABASE}`,
  "SHOW GRANTS",
  "SELECT * FROM system.databases",
  ...["tables", "columns", "parts", "parts_columns", "detached_parts", "dictionaries", "data_skipping_indices", "projections"].map(
    (name) => `SELECT * FROM system.${name} WHERE database != 'system'`,
  ),
  ...[
    "processes",
    "errors",
    "merges",
    "mutations",
    "replicas",
    "replication_queue",
    "distribution_queue",
    "query_cache",
    "view_refreshes",
  ].map((name) => `SELECT * FROM system.${name}`),
  ...["query_log", "query_thread_log", "query_views_log", "part_log", "text_log", "session_log", "asynchronous_insert_log"].map(
    (name) => `SELECT * FROM system.${name}`,
  ),
  "SELECT * FROM information_schema.tables",
  "SELECT * FROM information_schema.columns WHERE table_schema != 'system'",
  "SELECT DISTINCT _database, _table FROM merge(REGEXP('oximeter.*'), 'measurements_u64')",
  `SELECT * FROM viewIfPermitted(SELECT toString(timeseries_key) AS k FROM ${T} ELSE null('k String'))`,
  "SELECT DISTINCT timeseries_name FROM oximeter.timeseries_schema",
];

/** Names that a customer might guess: one that exists, and one that does not. */
const ABSENT = "measurements_no_such";

/**
 * Tries, with the rights of a customer, to get at what only operators may see. Needs a store that has been set up. What is for nobody but operators is
 * read first, with an operator's rights, so that a leak is known where it shows.
 */
export async function checkGrants(engine: Engine, customerNames: readonly string[]): Promise<Attempt[]> {
  const hidden = await hiddenNames(engine, new Set(customerNames));
  const attempts: Attempt[] = [];
  for (const statement of READS) {
    const answer = await tryAsCustomer(engine, statement);
    const leaks = answer.succeeded || showsHidden(answer.text, statement, hidden);
    attempts.push({ statement, outcome: leaks ? "leak" : (await differs(engine, statement, answer)) ? "tells" : "refused" });
  }
  for (const statement of LISTINGS) {
    const answer = await tryAsCustomer(engine, statement);
    const leaks = showsHidden(answer.text, statement, hidden);
    attempts.push({ statement, outcome: leaks ? "leak" : answer.succeeded ? "nothing" : "refused" });
  }
  return attempts;
}

interface Answer {
  readonly succeeded: boolean;
  /** What came back, or the engine's own text of the fault. */
  readonly text: string;
}

async function tryAsCustomer(engine: Engine, statement: string): Promise<Answer> {
  try {
    return { succeeded: true, text: Buffer.from(await engine.runAsCustomer(statement)).toString("latin1") };
  } catch (error) {
    return { succeeded: false, text: messageOf((error as Error).cause ?? error) };
  }
}

/** Whether an answer is another than that for a name which does not exist: who may write SQL can find out by guessing. */
async function differs(engine: Engine, statement: string, answer: Answer): Promise<boolean> {
  if (!statement.includes("measurements_u64")) return false;
  const other = statement.replaceAll(/(oximeter_internal[.', ]+)measurements_u64/g, `$1${ABSENT}`);
  if (other === statement) return false;
  const absent = await tryAsCustomer(engine, other);
  const plain = ({ text }: Answer): string => text.replaceAll(ABSENT, "measurements_u64").replaceAll(/[0-9a-f-]{36}/g, "");
  return plain(absent) !== plain(answer);
}

async function hiddenNames(engine: Engine, customerNames: ReadonlySet<string>): Promise<string[]> {
  const shared = new Set(NARROW_TABLES.map(({ name }) => name));
  const names = await column(engine, `SELECT name FROM system.tables WHERE database = ${D}`);
  const timeseries = await column(engine, `SELECT DISTINCT timeseries_name FROM ${DATABASE}.timeseries_schema`);
  const misrouted = await column(engine, "SELECT DISTINCT timeseries_name FROM oximeter.timeseries_schema");
  return [DATABASE, ...names.filter((name) => !shared.has(name)), ...timeseries, ...misrouted.filter((name) => !customerNames.has(name))];
}

async function column(engine: Engine, text: string): Promise<string[]> {
  const reader = new RowBinaryReader(await ask(engine, text));
  const values: string[] = [];
  while (!reader.atEnd) values.push(reader.string());
  return values;
}

/** Whether a text has a hidden name that the one who asks did not write himself. */
function showsHidden(text: string, statement: string, hidden: readonly string[]): boolean {
  return hidden.some((name) => text.includes(name) && !statement.includes(name));
}
