import { COLLECTOR_MAX_PRODUCERS, parseSocketAddress, PRODUCER_LIST_PAGE_ITEMS, ZonemeterError } from "../core/index.ts";
import { nexusProducers } from "../generated/index.ts";
import { callServer, loadDocument, type ServerLocation } from "../http/index.ts";

export interface ProducerList {
  /** What can be collected from, ascending by id, up to COLLECTOR_MAX_PRODUCERS. */
  readonly producers: readonly nexusProducers.ProducerEndpoint[];
  /** What cannot, and why, one sentence each. */
  readonly unusable: readonly string[];
  /** True where there are more producers than a collector takes. */
  readonly truncated: boolean;
}

const document = loadDocument("nexus-producers");

/**
 * Reads the whole list of the producers that Nexus has given to a collector. Any error on any page abandons it: rejects with ZonemeterError, and
 * the caller keeps what it has, as a list that is only partly read would end collections.
 */
export async function fetchProducers(nexus: ServerLocation, collectorId: string, signal: AbortSignal): Promise<ProducerList> {
  const producers: nexusProducers.ProducerEndpoint[] = [];
  const unusable: string[] = [];
  let token: string | null = null;
  do {
    const page = await fetchPage(nexus, collectorId, token, signal);
    for (const producer of page.items) {
      const fault = faultOf(producer);
      if (fault === null) producers.push(producer);
      else unusable.push(`Producer ${producer.id} is not collected from: ${fault}.`);
    }
    // Upstream gives a token with every page that holds anything, so an empty page ends the list too.
    token = page.items.length === 0 ? null : (page.next_page ?? null);
  } while (token !== null && producers.length + unusable.length <= COLLECTOR_MAX_PRODUCERS);
  return {
    producers: producers.slice(0, COLLECTOR_MAX_PRODUCERS),
    unusable,
    truncated: token !== null || producers.length > COLLECTOR_MAX_PRODUCERS,
  };
}

async function fetchPage(
  nexus: ServerLocation,
  collectorId: string,
  token: string | null,
  signal: AbortSignal,
): Promise<nexusProducers.ProducerEndpointResultsPage> {
  const query = { limit: PRODUCER_LIST_PAGE_ITEMS, ...(token === null ? {} : { page_token: token }) };
  const answer = await callServer(nexus, { document, name: "Nexus" }, signal, (client) =>
    nexusProducers.cpapiAssignedProducersList({ client, path: { collector_id: collectorId }, query, signal }),
  );
  if (!answer.ok)
    throw new ZonemeterError(
      "unavailable",
      `Nexus did not list the producers of collector ${collectorId}, status ${answer.status}: ${answer.message}`,
    );
  return answer.data;
}

function faultOf({ address, interval }: nexusProducers.ProducerEndpoint): string | null {
  const parsed = parseSocketAddress(address);
  if (parsed === null || parsed.port === 0) return `its address "${address.slice(0, 80)}" is not one that can be reached`;
  return interval.secs === 0n && interval.nanos === 0 ? "its interval is zero" : null;
}
