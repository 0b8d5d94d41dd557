import { request } from "undici";
import type { Catalogue, TimeseriesSchema } from "../../src/core/index.ts";
import { Admission, Authenticator, loadDocument, startListener, type Listener } from "../../src/http/index.ts";
import { customerHandlers, QueryService } from "../../src/query/index.ts";
import { recordingLogger, type LogLine } from "./logs.ts";
import { ManualClock } from "./manual-clock.ts";
import { memoryData, type MemoryData } from "./memory-data.ts";
import { tokensForAll, type Person } from "./people.ts";
import { NOW_NS, seriesOf } from "./two-worlds.ts";

export const { list: PEOPLE_LIST, tokens: TOKENS } = tokensForAll();

/** A customer API over a store in memory that notes down every call. */
export interface CustomerApi {
  readonly listener: Listener;
  readonly data: MemoryData;
  readonly lines: LogLine[];
}

/** Serves what customers may see of a catalogue, with data for each of `stored`. */
export async function serveCustomers(catalogue: Catalogue, stored: Iterable<TimeseriesSchema>): Promise<CustomerApi> {
  const { logger, lines } = recordingLogger();
  const data = memoryData([...stored].flatMap(seriesOf));
  const service = new QueryService({
    audience: "customer",
    catalogue: catalogue.forCustomers(),
    store: data,
    clock: new ManualClock(NOW_NS),
    logger,
    projects: () => PEOPLE_LIST.projects,
  });
  const listener = await startListener({
    document: loadDocument("customer-api"),
    handlers: customerHandlers(service),
    listen: { host: "127.0.0.1", port: 0 },
    admission: new Admission({ who: new Authenticator(PEOPLE_LIST), admits: () => true, openPaths: [], rate: null }),
    name: "the customer API",
    logger,
    apiVersion: "ignored",
  });
  return { listener, data, lines };
}

export interface CustomerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What a client can see of an answer; the date and the request's id are left out. */
export interface SeenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export async function send({ listener }: CustomerApi, { method, path, headers, body }: CustomerRequest): Promise<SeenAnswer> {
  const answer = await request(`${listener.url}${path}`, { method: method as "GET", headers, body });
  const { date: _date, "x-request-id": id, ...others } = answer.headers;
  return { status: answer.statusCode, headers: others, body: (await answer.body.text()).replace(String(id), "ID") };
}

/** A query of the fleet, or of one project, as JSON. */
export function queryRequest(
  query: string,
  person: Person,
  project: string | null = null,
  more: Readonly<Record<string, unknown>> = {},
): CustomerRequest {
  return {
    method: "POST",
    path: project === null ? "/v1/system/timeseries/query" : `/v1/timeseries/query?project=${encodeURIComponent(project)}`,
    headers: { authorization: `Bearer ${TOKENS[person]}`, "content-type": "application/json" },
    body: JSON.stringify({ query, ...more }),
  };
}
