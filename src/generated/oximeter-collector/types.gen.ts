// Generated from openapi/oximeter-collector.json by tools/generate.mjs; do not edit. Run `make gen` instead.

export type ClientOptions = {
  baseUrl: `${string}://${string}` | (string & {});
};

export type CollectorInfo = {
  id: string;
  /**
   * When the list of producers was last read from Nexus; null before the first time.
   */
  last_refresh?: string | null;
};

/**
 * A span of time: seconds and nanoseconds add up.
 */
export type Duration = {
  nanos: number;
  secs: bigint;
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

export type FailedCollection = {
  /**
   * `unreachable`, `deserialization`, `collections in progress`, another word, or the HTTP status that the producer answered with.
   */
  reason: string;
  /**
   * When the collection was queued.
   */
  started_at: string;
  /**
   * How long the producer took.
   */
  time_collecting: Duration;
  /**
   * How long the collection waited before it began.
   */
  time_queued: Duration;
};

export type ProducerDetails = {
  address: string;
  id: string;
  interval: Duration;
  /**
   * Null or absent where no collection has failed.
   */
  last_failure?: FailedCollection | null;
  /**
   * Null or absent where no collection has succeeded.
   */
  last_success?: SuccessfulCollection | null;
  /**
   * Successful collections.
   */
  n_collections: bigint;
  /**
   * Failed collections.
   */
  n_failures: bigint;
  /**
   * When this collector first learnt of the producer.
   */
  registered: string;
  /**
   * When its details last changed.
   */
  updated: string;
};

/**
 * A producer and how to collect from it: `GET http://{address}/{id}` once each interval.
 */
export type ProducerEndpoint = {
  /**
   * IP address and port, `1.2.3.4:80` or `[::1]:80`.
   */
  address: string;
  /**
   * Names the producer, also after it has moved.
   */
  id: string;
  /**
   * Time between collections. Zero is refused.
   */
  interval: Duration;
  kind: ProducerKind;
};

/**
 * Some producers, ascending by id.
 */
export type ProducerEndpointResultsPage = {
  items: Array<ProducerEndpoint>;
  /**
   * Token that asks for the page after this one; null or absent on the last.
   */
  next_page?: string | null;
};

/**
 * What sort of program a producer is. It makes no difference to how it is collected.
 */
export type ProducerKind = "sled_agent" | "service" | "instance" | "management_gateway";

export type SuccessfulCollection = {
  n_samples: bigint;
  /**
   * When the collection was queued.
   */
  started_at: string;
  /**
   * How long the producer took.
   */
  time_collecting: Duration;
  /**
   * How long the collection waited before it began.
   */
  time_queued: Duration;
};

export type CollectorInfoData = {
  body?: never;
  path?: never;
  query?: never;
  url: "/info";
};

export type CollectorInfoErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type CollectorInfoError = CollectorInfoErrors[keyof CollectorInfoErrors];

export type CollectorInfoResponses = {
  /**
   * The collector.
   */
  200: CollectorInfo;
};

export type CollectorInfoResponse = CollectorInfoResponses[keyof CollectorInfoResponses];

export type ProducersListData = {
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
  url: "/producers";
};

export type ProducersListErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type ProducersListError = ProducersListErrors[keyof ProducersListErrors];

export type ProducersListResponses = {
  /**
   * One page of the list.
   */
  200: ProducerEndpointResultsPage;
};

export type ProducersListResponse = ProducersListResponses[keyof ProducersListResponses];

export type ProducerDeleteData = {
  body?: never;
  path: {
    /**
     * The producer.
     */
    producer_id: string;
  };
  query?: never;
  url: "/producers/{producer_id}";
};

export type ProducerDeleteErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type ProducerDeleteError = ProducerDeleteErrors[keyof ProducerDeleteErrors];

export type ProducerDeleteResponses = {
  /**
   * It is not being collected.
   */
  204: void;
};

export type ProducerDeleteResponse = ProducerDeleteResponses[keyof ProducerDeleteResponses];

export type ProducerDetailsData = {
  body?: never;
  path: {
    /**
     * The producer.
     */
    producer_id: string;
  };
  query?: never;
  url: "/producers/{producer_id}";
};

export type ProducerDetailsErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type ProducerDetailsError = ProducerDetailsErrors[keyof ProducerDetailsErrors];

export type ProducerDetailsResponses = {
  /**
   * The producer.
   */
  200: ProducerDetails;
};

export type ProducerDetailsResponse = ProducerDetailsResponses[keyof ProducerDetailsResponses];
