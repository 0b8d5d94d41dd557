/** Why a collection failed: the label of the self-metric, the reason in the API and in the log. A status stands as a decimal number. */
export type CollectionFailureReason = "unreachable" | "deserialization" | "collections in progress" | "too_large" | "timeout" | `${number}`;

/** A collection that came to nothing. `detail` is one sentence for the log. */
export interface CollectionFailure {
  readonly reason: CollectionFailureReason;
  readonly detail: string;
}
