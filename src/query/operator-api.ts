import type { TimeseriesSchema } from "../core/index.ts";
import { ZonemeterError, formatRfc3339, type Clock } from "../core/index.ts";
import type { Handler, HandlerResponse } from "../http/index.ts";
import { tablesToJson } from "../oxql/index.ts";
import type { LatestZone, Store } from "../store/index.ts";
import { LATEST_ZONES_WINDOW_NS, SCHEMA_PAGE_DEFAULT, SCHEMA_PAGE_MAX } from "./limits.ts";
import type { QueryService } from "./query-service.ts";

const JSON_TYPE = "application/json";

/** Handlers that both APIs have, by the operationId of their documents. */
export function timeseriesHandlers(service: QueryService): Record<string, Handler> {
  return {
    async timeseries_query(request): Promise<HandlerResponse> {
      const body = request.body as { query: string; include_summaries?: boolean };
      const answer = await service.run(body.query, request.signal);
      const text = tablesToJson(answer.tables, body.include_summaries === true ? answer.statements : null);
      return { status: 200, contentType: JSON_TYPE, body: text };
    },
    async timeseries_schema_list(request): Promise<HandlerResponse> {
      return { status: 200, body: schemaPage([...service.catalogue], request.query) };
    },
  };
}

export interface OperatorHandlerOptions {
  readonly service: QueryService;
  readonly store: Pick<Store, "latestZones" | "ping">;
  readonly clock: Clock;
  /** Resolves with the reason why the product is not ready to serve, or null. */
  readonly notReady: () => string | null;
  /** Prometheus text of the product's own state. */
  readonly metrics: () => string;
}

/** Handlers of the operator API. */
export function operatorHandlers(options: OperatorHandlerOptions): Record<string, Handler> {
  const { service, store, clock, notReady, metrics } = options;
  return {
    ...timeseriesHandlers(service),
    async zones_latest(request): Promise<HandlerResponse> {
      const zones = await store.latestZones(clock.wallNs() - LATEST_ZONES_WINDOW_NS, request.signal);
      return { status: 200, contentType: JSON_TYPE, body: `{"items":[${zones.map(latestZoneJson).join(",")}]}` };
    },
    async healthz(): Promise<HandlerResponse> {
      return { status: 200, contentType: "text/plain; charset=utf-8", body: "ok\n" };
    },
    async readyz(): Promise<HandlerResponse> {
      await store.ping();
      const reason = notReady();
      return { status: reason === null ? 200 : 503, contentType: "text/plain; charset=utf-8", body: `${reason ?? "ready"}\n` };
    },
    async metrics(): Promise<HandlerResponse> {
      return { status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: metrics() };
    },
  };
}

/** One page of schemas in upstream's shape. The page token is the last name of the page before, base64url. */
function schemaPage(schemas: readonly TimeseriesSchema[], query: Readonly<Record<string, unknown>>): unknown {
  const limit = query["limit"] === undefined ? SCHEMA_PAGE_DEFAULT : Number(query["limit"]);
  if (!Number.isInteger(limit) || limit < 1 || limit > SCHEMA_PAGE_MAX) {
    throw new ZonemeterError("usage", `limit ${JSON.stringify(query["limit"])} is not a whole number from 1 to ${SCHEMA_PAGE_MAX}.`);
  }
  const token = query["page_token"];
  const after = typeof token === "string" && token !== "" ? Buffer.from(token, "base64url").toString("utf8") : "";
  const rest = schemas.filter((schema) => schema.timeseriesName > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(schemaJson),
    next_page: last !== undefined && rest.length > page.length ? Buffer.from(last.timeseriesName).toString("base64url") : null,
  };
}

function schemaJson(schema: TimeseriesSchema): unknown {
  return {
    timeseries_name: schema.timeseriesName,
    description: { target: schema.targetDescription, metric: schema.metricDescription },
    field_schema: schema.fields.map((field) => ({
      name: field.name,
      field_type: field.type,
      source: field.source,
      description: field.description,
    })),
    datum_type: schema.datumType,
    version: schema.version,
    authz_scope: schema.authzScope,
    units: schema.units,
    created: "1970-01-01T00:00:00Z",
  };
}

function latestZoneJson(zone: LatestZone): string {
  const value = (item: string | bigint | boolean | number): string =>
    typeof item === "bigint" ? item.toString() : typeof item === "number" && !Number.isFinite(item) ? "null" : JSON.stringify(item);
  const object = (entries: Readonly<Record<string, string | bigint | boolean | number>>): string =>
    `{${Object.entries(entries)
      .map(([name, item]) => `${JSON.stringify(name)}:${value(item)}`)
      .join(",")}}`;
  const start = zone.startTimeNs === 0n ? "null" : `"${formatRfc3339(zone.startTimeNs)}"`;
  return `{"fields":${object(zone.fields)},"start_time":${start},"timestamp":"${formatRfc3339(zone.timestampNs)}","values":${object(zone.values)}}`;
}
