// Generated from openapi/nexus-producers.json by tools/generate.mjs; do not edit. Run `make gen` instead.

export type ClientOptions = {
  baseUrl: `${string}://${string}` | (string & {});
};

/**
 * A span of time: whole seconds, and nanoseconds below one second beside them.
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

/**
 * Order of a listing: ascending by id is the only one.
 */
export type IdSortMode = "id_ascending";

/**
 * A collector that wants producers.
 */
export type OximeterInfo = {
  /**
   * IP address and port of the collector's own API.
   */
  address: string;
  collector_id: string;
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

export type ProducerRegistrationResponse = {
  /**
   * A producer that has not registered again within this time is forgotten; a quarter of it is a good time to do so.
   */
  lease_duration: Duration;
};

export type CpapiProducersPostData = {
  body: ProducerEndpoint;
  path?: never;
  query?: never;
  url: "/metrics/producers";
};

export type CpapiProducersPostErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type CpapiProducersPostError = CpapiProducersPostErrors[keyof CpapiProducersPostErrors];

export type CpapiProducersPostResponses = {
  /**
   * The lease was granted.
   */
  201: ProducerRegistrationResponse;
};

export type CpapiProducersPostResponse = CpapiProducersPostResponses[keyof CpapiProducersPostResponses];

export type CpapiCollectorsPostData = {
  body: OximeterInfo;
  path?: never;
  query?: never;
  url: "/metrics/collectors";
};

export type CpapiCollectorsPostErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type CpapiCollectorsPostError = CpapiCollectorsPostErrors[keyof CpapiCollectorsPostErrors];

export type CpapiCollectorsPostResponses = {
  /**
   * The collector is known.
   */
  204: void;
};

export type CpapiCollectorsPostResponse = CpapiCollectorsPostResponses[keyof CpapiCollectorsPostResponses];

export type CpapiAssignedProducersListData = {
  body?: never;
  path: {
    /**
     * The collector.
     */
    collector_id: string;
  };
  query?: {
    /**
     * The most items to answer with: 100 if not given; more than 10000 counts as 10000.
     */
    limit?: number | null;
    /**
     * `next_page` of the page before. It is opaque.
     */
    page_token?: string | null;
    sort_by?: IdSortMode;
  };
  url: "/metrics/collectors/{collector_id}/producers";
};

export type CpapiAssignedProducersListErrors = {
  /**
   * The request was not done.
   */
  "4XX": Error;
  /**
   * The request was not done.
   */
  "5XX": Error;
};

export type CpapiAssignedProducersListError = CpapiAssignedProducersListErrors[keyof CpapiAssignedProducersListErrors];

export type CpapiAssignedProducersListResponses = {
  /**
   * One page of the list.
   */
  200: ProducerEndpointResultsPage;
};

export type CpapiAssignedProducersListResponse = CpapiAssignedProducersListResponses[keyof CpapiAssignedProducersListResponses];
