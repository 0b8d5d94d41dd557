// Generated from openapi/operator-api.json by tools/generate.mjs; do not edit. Run `make gen` instead.

import type { Client, Options as Options2, TDataShape } from "../transport.ts";
import type {
  HealthzData,
  HealthzErrors,
  HealthzResponses,
  MetricsData,
  MetricsErrors,
  MetricsResponses,
  ReadyzData,
  ReadyzErrors,
  ReadyzResponses,
  TimeseriesQueryData,
  TimeseriesQueryErrors,
  TimeseriesQueryResponses,
  TimeseriesSchemaListData,
  TimeseriesSchemaListErrors,
  TimeseriesSchemaListResponses,
  ZonesLatestData,
  ZonesLatestErrors,
  ZonesLatestResponses,
} from "./types.gen.ts";

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<
  TData,
  ThrowOnError,
  TResponse
> & {
  /**
   * You can provide a client instance returned by `createClient()` instead of
   * individual options. This might be also useful if you want to implement a
   * custom client.
   */
  client: Client;
  /**
   * You can pass arbitrary values through the `meta` object. This can be
   * used to access values that aren't defined as part of the SDK function.
   */
  meta?: Record<string, unknown>;
};

/**
 * Run a query over all timeseries
 *
 * A query that is wrong, or names a timeseries that does not exist, is answered with 400, error code `InvalidRequest` and the reason.
 */
export const timeseriesQuery = <ThrowOnError extends boolean = false>(options: Options<TimeseriesQueryData, ThrowOnError>) =>
  options.client.post<TimeseriesQueryResponses, TimeseriesQueryErrors, ThrowOnError>({
    url: "/v1/system/timeseries/query",
    ...options,
    headers: {
      "Content-Type": "application/json",
      ...options.headers,
    },
  });

/**
 * List the timeseries that can be asked for
 */
export const timeseriesSchemaList = <ThrowOnError extends boolean = false>(options: Options<TimeseriesSchemaListData, ThrowOnError>) =>
  options.client.get<TimeseriesSchemaListResponses, TimeseriesSchemaListErrors, ThrowOnError>({
    url: "/v1/system/timeseries/schemas",
    ...options,
  });

/**
 * The newest values of every zone seen lately
 */
export const zonesLatest = <ThrowOnError extends boolean = false>(options: Options<ZonesLatestData, ThrowOnError>) =>
  options.client.get<ZonesLatestResponses, ZonesLatestErrors, ThrowOnError>({ url: "/v1/zones/latest", ...options });

/**
 * Whether the process lives
 */
export const healthz = <ThrowOnError extends boolean = false>(options: Options<HealthzData, ThrowOnError>) =>
  options.client.get<HealthzResponses, HealthzErrors, ThrowOnError>({ url: "/healthz", ...options });

/**
 * Whether queries can be answered
 */
export const readyz = <ThrowOnError extends boolean = false>(options: Options<ReadyzData, ThrowOnError>) =>
  options.client.get<ReadyzResponses, ReadyzErrors, ThrowOnError>({ url: "/readyz", ...options });

/**
 * The product's own state as Prometheus text
 */
export const metrics = <ThrowOnError extends boolean = false>(options: Options<MetricsData, ThrowOnError>) =>
  options.client.get<MetricsResponses, MetricsErrors, ThrowOnError>({ url: "/metrics", ...options });
