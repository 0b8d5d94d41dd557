import { formatRfc3339, type Clock, type Principal, type TimeseriesSchema } from "../core/index.ts";
import { pageOf, type Handler, type HandlerRequest, type HandlerResponse } from "../http/index.ts";
import { tablesToJson } from "../oxql/index.ts";
import type { LatestZone, Store } from "../store/index.ts";
import { LATEST_ZONES_WINDOW_NS } from "./limits.ts";
import type { QueryService } from "./query-service.ts";

const JSON_TYPE = "application/json";

/**
 * `created` of every schema. Upstream tells when it first saw one; a definition carries no date, and one that a process makes up would
 * tell when that was.
 */
const CREATED = formatRfc3339(0n);

/** Whoever reaches a server that asks nobody who he is. */
const LOCAL: Principal = { name: "local", kind: "operator" };

/** Handlers that both APIs have, by the operationId of their documents. */
/** With a store, what ran in it is told where it is asked for. */
function timeseriesHandlers(service: QueryService, store: Pick<Store, "measured"> | null): Record<string, Handler> {
  return {
    async timeseries_query(request): Promise<HandlerResponse> {
      return queryAnswer(service, request, null, store);
    },
    async timeseries_schema_list(request): Promise<HandlerResponse> {
      const catalogue = service.catalogueFor(request.principal ?? LOCAL);
      const page = pageOf([...catalogue], (schema) => schema.timeseriesName, request.query);
      return { status: 200, body: { items: page.items.map(schemaJson), next_page: page.next_page } };
    },
  };
}

async function queryAnswer(
  service: QueryService,
  request: HandlerRequest,
  project: string | null,
  store: Pick<Store, "measured"> | null,
): Promise<HandlerResponse> {
  const { query: text, include_summaries: asked } = request.body as { query: string; include_summaries?: boolean };
  const { requestId, signal } = request;
  const answer = await service.run({ text, principal: request.principal ?? LOCAL, project, requestId, signal });
  const statements = asked === true && store !== null ? await store.measured(answer.statements, signal) : null;
  return { status: 200, contentType: JSON_TYPE, body: tablesToJson(answer.tables, statements) };
}

export interface OperatorHandlerOptions {
  readonly service: QueryService;
  readonly store: Pick<Store, "latestZones" | "measured" | "ping">;
  readonly clock: Clock;
  /** Resolves with the reason why the product is not ready to serve, or null. */
  readonly notReady: () => string | null;
  /** Prometheus text of the product's own state. */
  readonly metrics: () => string;
}

/** Handlers of the customer API. What ran in the store is not told there: it shows how and beside what things are kept. */
export function customerHandlers(service: QueryService): Record<string, Handler> {
  return {
    ...timeseriesHandlers(service, null),
    async project_timeseries_query(request): Promise<HandlerResponse> {
      return queryAnswer(service, request, String(request.query["project"]), null);
    },
  };
}

/** Handlers of the operator API. */
export function operatorHandlers(options: OperatorHandlerOptions): Record<string, Handler> {
  const { service, store, clock, notReady, metrics } = options;
  return {
    ...timeseriesHandlers(service, store),
    async zones_latest(request): Promise<HandlerResponse> {
      const zones = await store.latestZones(clock.wallNs() - LATEST_ZONES_WINDOW_NS, request.signal);
      return { status: 200, contentType: JSON_TYPE, body: `{"items":[${zones.map(latestZoneJson).join(",")}]}` };
    },
    async healthz(): Promise<HandlerResponse> {
      return { status: 200, contentType: "text/plain; charset=utf-8", body: "ok\n" };
    },
    async readyz(): Promise<HandlerResponse> {
      // Without the reason, which may tell where the store is: this path is open to all.
      const answers = await store.ping().then(
        () => true,
        () => false,
      );
      const reason = answers ? notReady() : "the store does not answer";
      return { status: reason === null ? 200 : 503, contentType: "text/plain; charset=utf-8", body: `${reason ?? "ready"}\n` };
    },
    async metrics(): Promise<HandlerResponse> {
      return { status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: metrics() };
    },
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
    created: CREATED,
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
