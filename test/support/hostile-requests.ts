import type { CustomerRequest } from "./customer-api.ts";
import { TOKENS, queryRequest } from "./customer-api.ts";
import { PROJECTS } from "./people.ts";
import type { Random } from "./random.ts";
import { HIDDEN, VISIBLE } from "./two-worlds.ts";

const NAMES = [...VISIBLE, ...HIDDEN].map(({ timeseriesName }) => timeseriesName);
const FIELDS = ["silo_id", "project_id", "instance", "slot", "timestamp", "datum", "start_time", "source"];
const LITERALS = [
  `"${PROJECTS.shopWeb.id}"`,
  `"${PROJECTS.bankWeb.siloId}"`,
  '"front"',
  "'on'",
  "4",
  "1.5",
  "true",
  "@now() - 2m",
  "@2031-03-03T11:58:00",
  '"m.*"',
  '"(a|b)*$"',
  "5m",
];
const OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "~="];
const REDUCERS = ["mean", "sum", "min", "max", "count", "p50"];
const PATHS = [
  "/v1/system/timeseries/query",
  "/v1/system/timeseries/schemas",
  "/v1/timeseries/query",
  "/v1/zones/latest",
  "/metrics",
  "/healthz",
  "/",
  "/v1",
];
const METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"];
const PIECES = [
  ";",
  "--",
  "/*",
  "*/",
  "'",
  '"',
  "{",
  "}",
  "|",
  " get ",
  ":",
  "\0",
  "\u202e",
  "é",
  "\\",
  "`",
  "UNION ALL",
  "system.tables",
  "oximeter_internal.",
  "%",
  "\n",
];

/** A request that a customer might send to find out what is hidden: queries that are right, nearly right and not at all, and odd paths. */
export function hostileRequest(random: Random): CustomerRequest {
  const kind = random.below(20);
  if (kind === 0) return oddPath(random);
  if (kind === 1) return { method: "GET", path: schemasPath(random), headers: credentials(random), body: null };
  const text = random.chance(0.4) ? soundQuery(random) : random.chance(0.4) ? damaged(random, query(random, 2)) : query(random, 2);
  const person = random.pick(["operator", "fleet", "fleet", "fleet", "silo", "project"] as const);
  const project = random.chance(person === "fleet" ? 0.3 : 0.8) ? projectName(random) : null;
  const request = queryRequest(text, person, project, random.chance(0.1) ? { include_summaries: true } : {});
  if (random.chance(0.03))
    return { ...request, headers: { ...credentials(random), "content-type": random.pick(["application/json", "text/plain"]) } };
  return random.chance(0.03) ? { ...request, body: damaged(random, request.body!) } : request;
}

function credentials(random: Random): Record<string, string> {
  const token = random.pick([...Object.values(TOKENS), "", "zonemeter_guess"]);
  return token === "" ? {} : { authorization: `Bearer ${token}` };
}

function oddPath(random: Random): CustomerRequest {
  const method = random.pick(METHODS);
  const name = random.pick(NAMES);
  const path = `${random.pick(PATHS)}${random.pick(["", "/", `/${name}`, `?name=${name}`, `?limit=${name}`, "/%zz", "/..%2f..", `?project=${name}`])}`;
  const body = method === "GET" || method === "HEAD" ? null : random.pick(["", "{}", `{"query":"get ${name} | last 1"}`, `["${name}"]`]);
  return { method, path, headers: credentials(random), body };
}

function schemasPath(random: Random): string {
  const after = Buffer.from(JSON.stringify({ v: "v1", after: random.pick(NAMES) })).toString("base64url");
  const given = [`limit=${random.pick([0, 1, 2, 3, 100, 1e6, "x"])}`, `page_token=${random.pick([after, "x", ""])}`];
  return `/v1/system/timeseries/schemas?${random.shuffled(given).slice(random.below(3)).join("&")}`;
}

function projectName(random: Random): string {
  return random.pick([
    "web",
    "till",
    PROJECTS.shopWeb.id,
    PROJECTS.bankWeb.id.toUpperCase(),
    "nowhere",
    random.pick(NAMES),
    "web' OR '1'='1",
  ]);
}

/** One that runs, so that the store is reached. */
function soundQuery(random: Random): string {
  const { timeseriesName, datumType } = random.pick(VISIBLE.filter(({ timeseriesName: name }) => name !== "hardware:dump"));
  const where = timeseriesName.startsWith("machine:")
    ? [
        'instance == "front"',
        'instance ~= "^(f|c)"',
        `project_id == "${PROJECTS.shopWeb.id}"`,
        `silo_id != "${PROJECTS.shopWeb.siloId}" || instance == "counter"`,
      ]
    : ["slot == 3", "slot in [3, 4, 5]", "slot >= 4"];
  const operations = Array.from({ length: 1 + random.below(2) }, () =>
    random.pick([
      `filter ${random.pick(where)}`,
      `${random.pick(["first", "last"])} ${1 + random.below(5)}`,
      "filter timestamp > @now() - 3m",
    ]),
  );
  if (/^(?:cumulative|f32|f64)/.test(datumType) && random.chance(0.4)) {
    operations.push("align mean_within(1m)", random.pick(["group_by [], sum", "top 1", "map datum * 2", "last 1"]));
    operations.unshift("filter timestamp > @now() - 4m");
  }
  const text = [`get ${timeseriesName}`, ...operations].join(" | ");
  return random.chance(0.2) ? `{ ${text}; get machine:state | last 1 }` : text;
}

function query(random: Random, depth: number): string {
  const first = depth > 0 && random.chance(0.25) ? group(random, depth) : `get ${timeseriesName(random)}`;
  const operations = Array.from({ length: random.below(4) }, () => operation(random));
  // Most queries are to be runnable, so that the store is reached.
  if (random.chance(0.8)) operations.unshift(random.pick(["last 2", "filter timestamp > @now() - 3m", "first 1"]));
  return [first, ...operations].join(" | ");
}

function group(random: Random, depth: number): string {
  return `{ ${Array.from({ length: 1 + random.below(3) }, () => query(random, depth - 1)).join("; ")} }`;
}

function operation(random: Random): string {
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return `filter ${condition(random)}`;
    case 3:
      return `align ${random.pick(["mean_within", "interpolate", "rate"])}(${random.pick(["1m", "30s", "0s", "1ns"])})`;
    case 4:
      return `group_by [${random.shuffled(FIELDS).slice(0, random.below(3)).join(", ")}], ${random.pick(REDUCERS)}`;
    case 5:
      return random.pick(["join", "join on [slot]"]);
    case 6:
      return `${random.pick(["first", "last", "top", "bottom"])} ${random.below(4)}`;
    default:
      return `map ${random.pick(["datum * 2", `${random.pick(NAMES)} / 2`, "load - busy", "ago(datum, 1m)"])}`;
  }
}

function condition(random: Random): string {
  const one = (): string =>
    `${random.chance(0.1) ? random.pick(NAMES) : random.pick(FIELDS)} ${random.pick(OPERATORS)} ${random.pick(LITERALS)}`;
  return Array.from({ length: 1 + random.below(3) }, one).join(random.pick([" && ", " || ", " ^ "]));
}

/** Sometimes a name as it is, sometimes one that is a slip away from it. */
function timeseriesName(random: Random): string {
  const name = random.pick(NAMES);
  if (random.chance(0.7)) return name;
  const at = random.below(name.length);
  const letter = random.pick([..."abcdelmnorstuyz_:"]);
  return random.pick([
    name.slice(0, at) + name.slice(at + 1),
    name.slice(0, at) + letter + name.slice(at),
    name.slice(0, at) + letter + name.slice(at + 1),
    name.toUpperCase(),
    name.repeat(20),
  ]);
}

function damaged(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const end = Math.min(text.length, at + random.below(6));
  return random.pick([
    text.slice(0, at) + random.pick(PIECES) + text.slice(at),
    text.slice(0, at) + text.slice(end),
    text.slice(0, at),
    text.slice(0, at) + random.pick(NAMES) + text.slice(end),
    text + random.pick(PIECES) + text,
    text.replaceAll(" ", random.pick(["\t", "\u00a0", "  ", ""])),
  ]);
}
