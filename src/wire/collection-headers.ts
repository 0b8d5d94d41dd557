/*
 * What our own collector and producer say to each other beside Oximeter's collection, so that each sample is stored once. The request says who
 * asks, which batch is stored and how much there is room for; the answer names its batch. A batch that is not named as stored by the next
 * request is repeated with the same name and content. Stock producers and collectors neither send nor look at any of this.
 */

const COLLECTOR = "zonemeter-collector";
const STORED = "zonemeter-stored";
const MAX_SAMPLES = "zonemeter-max-samples";
const BATCH = "zonemeter-batch";
const MORE = "zonemeter-more";

const BATCH_NAME = /^[0-9a-f]{16}:\d{1,15}$/;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What an acknowledging collector asks with. */
export interface AcknowledgingRequest {
  readonly collectorId: string;
  /** Name of the last batch that is stored, `epoch:sequence`; null at first. */
  readonly stored: string | null;
  /** The most samples to answer with. 0 asks for none: it acknowledges, and says that the collector is there. */
  readonly maxSamples: number;
}

/** What a producer of ours answers with. */
export interface BatchReply {
  /** Name of the batch that the samples are; null where there is nothing to acknowledge. */
  readonly batch: string | null;
  /** More samples wait already. */
  readonly more: boolean;
}

/** Null where the asker does not acknowledge. Other values that make no sense count as absent; `most` stands for an absent limit. */
export function readAcknowledgingRequest(headers: Headers, most: number): AcknowledgingRequest | null {
  const collectorId = headers[COLLECTOR];
  if (typeof collectorId !== "string" || !/^[0-9a-fA-F-]{36}$/.test(collectorId)) return null;
  const stored = headers[STORED];
  const maxSamples = headers[MAX_SAMPLES];
  return {
    collectorId: collectorId.toLowerCase(),
    stored: typeof stored === "string" && BATCH_NAME.test(stored) ? stored : null,
    maxSamples: typeof maxSamples === "string" && /^\d{1,9}$/.test(maxSamples) ? Math.min(Number(maxSamples), most) : most,
  };
}

export function acknowledgingHeaders({ collectorId, stored, maxSamples }: AcknowledgingRequest): Record<string, string> {
  return { [COLLECTOR]: collectorId, [MAX_SAMPLES]: String(maxSamples), ...(stored === null ? {} : { [STORED]: stored }) };
}

/** Null where the answer is a stock producer's. */
export function readBatchReply(headers: Headers): BatchReply | null {
  const more = headers[MORE];
  if (more !== "true" && more !== "false") return null;
  const batch = headers[BATCH];
  return { batch: typeof batch === "string" && BATCH_NAME.test(batch) ? batch : null, more: more === "true" };
}

export function batchReplyHeaders({ batch, more }: BatchReply): Record<string, string> {
  return { [MORE]: String(more), ...(batch === null ? {} : { [BATCH]: batch }) };
}
