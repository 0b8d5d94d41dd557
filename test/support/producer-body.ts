import type { ProducerResult } from "../../src/core/index.ts";
import { writeProducerResults } from "../../src/wire/index.ts";

/** The whole body of a collection. */
export function producerBody(results: readonly ProducerResult[]): Buffer {
  return Buffer.concat([...writeProducerResults(results)]);
}
