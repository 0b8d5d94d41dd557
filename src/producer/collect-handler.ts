import { PRODUCER_RESPONSE_SAMPLES, ZonemeterError, type Sample } from "../core/index.ts";
import type { HandlerRequest, HandlerResponse } from "../http/index.ts";
import { batchReplyHeaders, readAcknowledgingRequest, writeProducerResults, type ProducerResultToWrite } from "../wire/index.ts";
import type { Delivery } from "./delivery.ts";
import { samplesOf, type SampleGroup } from "./sample-group.ts";

export interface CollectHandlerOptions {
  readonly producerId: string;
  readonly delivery: Delivery;
  /** Items of a response, in this order. */
  readonly sourceNames: readonly string[];
  /** The sentence of each source whose last read failed. */
  readonly failures: () => ReadonlyMap<string, string>;
}

/** Serves `GET /{producer_id}`. */
export function collectHandler(options: CollectHandlerOptions): (request: HandlerRequest) => Promise<HandlerResponse> {
  const { producerId, delivery, sourceNames, failures } = options;
  return async ({ params, headers, signal }) => {
    if (params["producer_id"] !== producerId) throw new ZonemeterError("not_found", `There is no producer ${params["producer_id"]} here.`);
    const collection = await delivery.collect(readAcknowledgingRequest(headers, PRODUCER_RESPONSE_SAMPLES), signal);
    const body = writeProducerResults(resultsOf(collection.groups, sourceNames, failures()));
    return { status: 200, body, headers: batchReplyHeaders(collection), sent: (ok) => collection.settle(ok) };
  };
}

/** One item for each source in order. One that has nothing to say because its last read failed says so. */
function resultsOf(
  groups: readonly SampleGroup[],
  sourceNames: readonly string[],
  failures: ReadonlyMap<string, string>,
): ProducerResultToWrite[] {
  const bySource = new Map<string, SampleGroup[]>(sourceNames.map((name) => [name, []]));
  for (const group of groups) {
    const own = bySource.get(group.source);
    if (own === undefined) bySource.set(group.source, [group]);
    else own.push(group);
  }
  return [...bySource].map(([source, own]): ProducerResultToWrite => {
    const failure = failures.get(source);
    if (own.length === 0 && failure !== undefined) return { status: "err", error: { type: "datum_error", content: failure } };
    return { status: "ok", samples: samplesOfAll(own) };
  });
}

function* samplesOfAll(groups: readonly SampleGroup[]): Generator<Sample> {
  for (const group of groups) yield* samplesOf(group);
}
