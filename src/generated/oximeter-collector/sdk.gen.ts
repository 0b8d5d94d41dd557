// Generated from openapi/oximeter-collector.json by tools/generate.mjs; do not edit. Run `make gen` instead.

import type { Client, Options as Options2, TDataShape } from "../transport.ts";
import type {
  CollectorInfoData,
  CollectorInfoErrors,
  CollectorInfoResponses,
  ProducerDeleteData,
  ProducerDeleteErrors,
  ProducerDeleteResponses,
  ProducerDetailsData,
  ProducerDetailsErrors,
  ProducerDetailsResponses,
  ProducersListData,
  ProducersListErrors,
  ProducersListResponses,
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
 * Identify the collector
 */
export const collectorInfo = <ThrowOnError extends boolean = false>(options: Options<CollectorInfoData, ThrowOnError>) =>
  options.client.get<CollectorInfoResponses, CollectorInfoErrors, ThrowOnError>({ url: "/info", ...options });

/**
 * List the producers that are being collected
 */
export const producersList = <ThrowOnError extends boolean = false>(options: Options<ProducersListData, ThrowOnError>) =>
  options.client.get<ProducersListResponses, ProducersListErrors, ThrowOnError>({ url: "/producers", ...options });

/**
 * Stop collecting from a producer
 *
 * It starts again when the list from Nexus next names it. Deleting an unknown one is no error.
 */
export const producerDelete = <ThrowOnError extends boolean = false>(options: Options<ProducerDeleteData, ThrowOnError>) =>
  options.client.delete<ProducerDeleteResponses, ProducerDeleteErrors, ThrowOnError>({ url: "/producers/{producer_id}", ...options });

/**
 * How the collection of one producer is going
 */
export const producerDetails = <ThrowOnError extends boolean = false>(options: Options<ProducerDetailsData, ThrowOnError>) =>
  options.client.get<ProducerDetailsResponses, ProducerDetailsErrors, ThrowOnError>({ url: "/producers/{producer_id}", ...options });
