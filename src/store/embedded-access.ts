import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identifier, stringLiteral } from "./literal.ts";
import { PUBLIC_DATABASE } from "./narrow-tables.ts";
import { CUSTOMER_ROLE, customerRows, GRANTS, namedTables, OPERATOR_ROLE, ROLES, WRITER_ROLE } from "./roles.ts";

/**
 * Tables of the system in which one session could read of another's statements, and of names that are none of its own. The embedded engine has
 * one user for all sessions, so what a server keeps apart by user is kept apart by role here.
 */
const TELLING_SYSTEM_TABLES = [
  "asynchronous_inserts",
  "errors",
  "merges",
  "mutations",
  "part_log",
  "processes",
  "query_cache",
  "query_log",
  "query_thread_log",
  "query_views_log",
  "session_log",
  "text_log",
  "trace_log",
];

/** The engine takes the path of its configuration apart at some characters. */
const PLAIN_PATH = /^[\w./-]+$/;

/** Files that tell the embedded engine of roles. */
export interface AccessFiles {
  /** Path of the engine's configuration. */
  readonly config: string;
  /** Takes away what must not stay. */
  remove(): void;
}

/** Puts the files into the data directory, or beside it where its path is none that the engine can be told. */
export function placeAccessFiles(dataDir: string, customerNames: Iterable<string>): AccessFiles {
  const own = join(dataDir, "access");
  if (PLAIN_PATH.test(own)) return { config: writeAccessFiles(own, customerNames), remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "zonemeter-access-"));
  return { config: writeAccessFiles(folder, customerNames), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Writes what the embedded engine is to know of roles into a folder, and returns the path of its configuration file. Roles of the embedded
 * engine come from files alone, and row policies there belong to the user, so the policies ask for the role themselves.
 */
export function writeAccessFiles(folder: string, customerNames: Iterable<string>): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const users = join(folder, "users.xml");
  const config = join(folder, "engine.xml");
  writeFileSync(users, usersXml(customerNames), { mode: 0o600 });
  writeFileSync(config, `<clickhouse><users_config>${xml(users)}</users_config></clickhouse>\n`, { mode: 0o600 });
  return config;
}

export function usersXml(customerNames: Iterable<string>): string {
  const insider = `hasAny(currentRoles(), [${stringLiteral(WRITER_ROLE)}, ${stringLiteral(OPERATOR_ROLE)}])`;
  const rows = `${insider} OR ${customerRows(customerNames)}`;
  const filter = (table: string, condition: string): string => `<${table}><filter>${xml(condition)}</filter></${table}>`;
  const policies = namedTables(false).map((table) => filter(table, rows));
  const silence = TELLING_SYSTEM_TABLES.map((table) => filter(table, insider));
  const query = (text: string): string => `<query>${xml(text)}</query>`;
  const grants = (role: string): string =>
    // The engine is this process': its writer makes databases and reads the files that rows come in.
    role === WRITER_ROLE
      ? query("GRANT ALL ON *.*")
      : role === OPERATOR_ROLE
        ? query("GRANT SELECT ON *.*")
        : GRANTS.filter((grant) => grant.role === role)
            .map(({ rights, database }) => query(`GRANT ${rights} ON ${identifier(database)}.*`))
            .join("");
  return `<clickhouse>
<profiles><default/></profiles>
<quotas><default/></quotas>
<roles>${ROLES.map((role) => `<${role}><grants>${grants(role)}</grants></${role}>`).join("\n")}</roles>
<users><default>
<password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
<grants>${query(`GRANT ${ROLES.join(", ")}`)}</grants>
<databases><${PUBLIC_DATABASE}>${policies.join("\n")}</${PUBLIC_DATABASE}>
<system>${silence.join("\n")}</system></databases>
</default></users>
</clickhouse>
`;
}

/** The statement by which a session becomes one of a role, for good: what comes after cannot be anything but one SELECT. */
export function setRole(role: typeof WRITER_ROLE | typeof OPERATOR_ROLE | typeof CUSTOMER_ROLE): string {
  return `SET ROLE ${role}`;
}

function xml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
