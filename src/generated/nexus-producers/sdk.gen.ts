// Generated from openapi/nexus-producers.json by tools/generate.mjs; do not edit. Run `make gen` instead.

import type { Client, Options as Options2, TDataShape } from "../transport.ts";
import type {
  CpapiAssignedProducersListData,
  CpapiAssignedProducersListErrors,
  CpapiAssignedProducersListResponses,
  CpapiCollectorsPostData,
  CpapiCollectorsPostErrors,
  CpapiCollectorsPostResponses,
  CpapiProducersPostData,
  CpapiProducersPostErrors,
  CpapiProducersPostResponses,
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
 * Register a producer, renew its lease or change its details
 *
 * A producer that is new is given to a collector at random; one that is known keeps its collector. 503 while no collector has registered.
 */
export const cpapiProducersPost = <ThrowOnError extends boolean = false>(options: Options<CpapiProducersPostData, ThrowOnError>) =>
  options.client.post<CpapiProducersPostResponses, CpapiProducersPostErrors, ThrowOnError>({
    url: "/metrics/producers",
    ...options,
    headers: {
      "Content-Type": "application/json",
      ...options.headers,
    },
  });

/**
 * Register a collector or change its address
 */
export const cpapiCollectorsPost = <ThrowOnError extends boolean = false>(options: Options<CpapiCollectorsPostData, ThrowOnError>) =>
  options.client.post<CpapiCollectorsPostResponses, CpapiCollectorsPostErrors, ThrowOnError>({
    url: "/metrics/collectors",
    ...options,
    headers: {
      "Content-Type": "application/json",
      ...options.headers,
    },
  });

/**
 * List the producers that a collector is to collect from
 *
 * An id that never registered has no producers: its list is empty.
 */
export const cpapiAssignedProducersList = <ThrowOnError extends boolean = false>(
  options: Options<CpapiAssignedProducersListData, ThrowOnError>,
) =>
  options.client.get<CpapiAssignedProducersListResponses, CpapiAssignedProducersListErrors, ThrowOnError>({
    url: "/metrics/collectors/{collector_id}/producers",
    ...options,
  });
