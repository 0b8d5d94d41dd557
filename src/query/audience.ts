import { Catalogue, type TimeseriesSchema } from "../core/index.ts";

/** Whom a listener serves. It decides what exists there, whoever asks: an operator who asks the customer API sees what customers see. */
export type Audience = "operator" | "customer";

export function mayKnow(audience: Audience, { visibility }: TimeseriesSchema): boolean {
  return audience === "operator" || visibility === "customer";
}

/** What of a catalogue the audience may know of. */
export function knownTo(audience: Audience, catalogue: Iterable<TimeseriesSchema>): Catalogue {
  return new Catalogue([...catalogue].filter((schema) => mayKnow(audience, schema)));
}
