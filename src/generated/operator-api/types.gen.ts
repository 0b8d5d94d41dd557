// Generated from openapi/operator-api.json by tools/generate.mjs; do not edit. Run `make gen` instead.

export type ClientOptions = {
  baseUrl: `${string}://${string}` | (string & {});
};

export type DatumType =
  | "bool"
  | "i8"
  | "u8"
  | "i16"
  | "u16"
  | "i32"
  | "u32"
  | "i64"
  | "u64"
  | "f32"
  | "f64"
  | "string"
  | "bytes"
  | "cumulative_i64"
  | "cumulative_u64"
  | "cumulative_f32"
  | "cumulative_f64"
  | "histogram_i8"
  | "histogram_u8"
  | "histogram_i16"
  | "histogram_u16"
  | "histogram_i32"
  | "histogram_u32"
  | "histogram_i64"
  | "histogram_u64"
  | "histogram_f32"
  | "histogram_f64";

/**
 * A histogram of floating-point numbers.
 */
export type DistributionDouble = {
  /**
   * Left edges.
   */
  bins: Array<number>;
  counts: Array<bigint>;
  min?: number | null;
  max?: number | null;
  sum_of_samples: number;
  squared_mean: number;
  p50?: number | null;
  p90?: number | null;
  p99?: number | null;
};

/**
 * A histogram of integers.
 */
export type DistributionInteger = {
  /**
   * Left edges.
   */
  bins: Array<bigint>;
  counts: Array<bigint>;
  min?: bigint | null;
  max?: bigint | null;
  sum_of_samples: bigint;
  squared_mean: number;
  p50?: number | null;
  p90?: number | null;
  p99?: number | null;
};

/**
 * Why a request was not done. For 404, 500 and most of 503 the message is only the standard phrase; the reason is in the server's log under the request id. A 429, and a 503 for a limit on how many requests or queries run at once, name the limit and come with `Retry-After`.
 */
export type Error = {
  /**
   * A stable name for the kind of error, where there is one.
   */
  error_code?: string;
  message: string;
  /**
   * As in the `x-request-id` header.
   */
  request_id: string;
};

export type FieldSchema = {
  name: string;
  field_type: "string" | "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "ip_addr" | "uuid" | "bool";
  /**
   * Which of the two the field belongs to.
   */
  source: "target" | "metric";
  description: string;
};

/**
 * A typed value. Integers of every width are bare digits: those of 64 bits pass 2^53.
 */
export type FieldValue =
  | {
      type: "string";
      value: string;
    }
  | {
      type: "i8";
      value: number;
    }
  | {
      type: "u8";
      value: number;
    }
  | {
      type: "i16";
      value: number;
    }
  | {
      type: "u16";
      value: number;
    }
  | {
      type: "i32";
      value: number;
    }
  | {
      type: "u32";
      value: number;
    }
  | {
      type: "i64";
      value: bigint;
    }
  | {
      type: "u64";
      value: bigint;
    }
  | {
      type: "ip_addr";
      value: string;
    }
  | {
      type: "uuid";
      value: string;
    }
  | {
      type: "bool";
      value: boolean;
    };

/**
 * The newest snapshot of one incarnation of a zone by one source.
 */
export type LatestZone = {
  /**
   * Fields of the zone and its sled, by name.
   */
  fields: {
    [key: string]: unknown;
  };
  /**
   * When the counters were 0; null where they have none.
   */
  start_time?: string | null;
  timestamp: string;
  /**
   * Values by metric name; enumerated fields follow in parentheses: `cpu_nsec(state=user)`. What was not measured is left out.
   */
  values: {
    [key: string]: number | null;
  };
};

export type LatestZones = {
  items: Array<LatestZone>;
};

export type OxqlQueryResult = {
  tables: Array<OxqlTable>;
  /**
   * Null or absent unless asked for.
   */
  query_summaries?: Array<QuerySummary> | null;
};

export type OxqlTable = {
  /**
   * Name of the timeseries; names with commas between after a join.
   */
  name: string;
  timeseries: Array<Timeseries>;
};

/**
 * Columns of equal length.
 */
export type Points = {
  /**
   * Where each interval began; null for gauges.
   */
  start_times?: Array<string> | null;
  timestamps: Array<string>;
  values: Array<Values>;
};

/**
 * One statement that was run in the store.
 */
export type QuerySummary = {
  id: string;
  query: string;
  elapsed_ms?: number;
  io_summary?: {
    read: {
      bytes: bigint;
      rows: bigint;
    };
    written: {
      bytes: bigint;
      rows: bigint;
    };
  };
  profile_summary?: {
    [key: string]: bigint;
  };
};

export type Timeseries = {
  /**
   * What tells this timeseries from the others of its table.
   */
  fields: {
    [key: string]: FieldValue;
  };
  points: Points;
};

export type TimeseriesQuery = {
  /**
   * A query in OxQL, up to 4096 bytes.
   */
  query: string;
  /**
   * Whether to tell about the statements that were run in the store.
   */
  include_summaries?: boolean;
};

export type TimeseriesSchema = {
  /**
   * `target:metric`.
   */
  timeseries_name: string;
  description: {
    target: string;
    metric: string;
  };
  field_schema: Array<FieldSchema>;
  datum_type: DatumType;
  version: number;
  authz_scope: "fleet" | "silo" | "project" | "viewable_to_all";
  units: "none" | "count" | "bytes" | "seconds" | "nanoseconds" | "volts" | "amps" | "watts" | "degrees_celsius" | "rpm" | "joules";
  created: string;
};

/**
 * Some schemas, ascending by name.
 */
export type TimeseriesSchemaResultsPage = {
  items: Array<TimeseriesSchema>;
  /**
   * Token that asks for the page after this one; null or absent on the last.
   */
  next_page?: string | null;
};

/**
 * A column of values; null where there is none at that time.
 */
export type ValueArray =
  | {
      type: "integer";
      values: Array<bigint | null>;
    }
  | {
      type: "double";
      values: Array<number | null>;
    }
  | {
      type: "boolean";
      values: Array<boolean | null>;
    }
  | {
      type: "string";
      values: Array<string | null>;
    }
  | {
      type: "integer_distribution";
      values: Array<DistributionInteger | null>;
    }
  | {
      type: "double_distribution";
      values: Array<DistributionDouble | null>;
    };

/**
 * One dimension of a timeseries.
 */
export type Values = {
  metric_type: "gauge" | "delta" | "cumulative";
  values: ValueArray;
};

export type TimeseriesQueryData = {
  body: TimeseriesQuery;
  path?: never;
  query?: never;
  url: "/v1/system/timeseries/query";
};

export type TimeseriesQueryErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type TimeseriesQueryError = TimeseriesQueryErrors[keyof TimeseriesQueryErrors];

export type TimeseriesQueryResponses = {
  /**
   * The tables that the query results in.
   */
  200: OxqlQueryResult;
};

export type TimeseriesQueryResponse = TimeseriesQueryResponses[keyof TimeseriesQueryResponses];

export type TimeseriesSchemaListData = {
  body?: never;
  path?: never;
  query?: {
    /**
     * The most items to answer with: 100 if not given; more than 10000 counts as 10000.
     */
    limit?: number | null;
    /**
     * `next_page` of the page before. It is opaque.
     */
    page_token?: string | null;
  };
  url: "/v1/system/timeseries/schemas";
};

export type TimeseriesSchemaListErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type TimeseriesSchemaListError = TimeseriesSchemaListErrors[keyof TimeseriesSchemaListErrors];

export type TimeseriesSchemaListResponses = {
  /**
   * One page of the list.
   */
  200: TimeseriesSchemaResultsPage;
};

export type TimeseriesSchemaListResponse = TimeseriesSchemaListResponses[keyof TimeseriesSchemaListResponses];

export type ZonesLatestData = {
  body?: never;
  path?: never;
  query?: never;
  url: "/v1/zones/latest";
};

export type ZonesLatestErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type ZonesLatestError = ZonesLatestErrors[keyof ZonesLatestErrors];

export type ZonesLatestResponses = {
  /**
   * The zones, in no order.
   */
  200: LatestZones;
};

export type ZonesLatestResponse = ZonesLatestResponses[keyof ZonesLatestResponses];

export type HealthzData = {
  body?: never;
  path?: never;
  query?: never;
  url: "/healthz";
};

export type HealthzErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type HealthzError = HealthzErrors[keyof HealthzErrors];

export type HealthzResponses = {
  /**
   * It does.
   */
  200: string;
};

export type HealthzResponse = HealthzResponses[keyof HealthzResponses];

export type ReadyzData = {
  body?: never;
  path?: never;
  query?: never;
  url: "/readyz";
};

export type ReadyzErrors = {
  /**
   * They cannot; the body says why.
   */
  503: string;
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type ReadyzError = ReadyzErrors[keyof ReadyzErrors];

export type ReadyzResponses = {
  /**
   * They can.
   */
  200: string;
};

export type ReadyzResponse = ReadyzResponses[keyof ReadyzResponses];

export type MetricsData = {
  body?: never;
  path?: never;
  query?: never;
  url: "/metrics";
};

export type MetricsErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type MetricsError = MetricsErrors[keyof MetricsErrors];

export type MetricsResponses = {
  /**
   * The metrics.
   */
  200: string;
};

export type MetricsResponse = MetricsResponses[keyof MetricsResponses];
