import { parseSocketAddress, ZonemeterError, type Clock } from "../core/index.ts";
import type { nexusProducers } from "../generated/index.ts";
import { pageOf, type Handler } from "../http/index.ts";
import type { ProducerEndpoint, Registry } from "./registry.ts";

export interface HandlerOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Resolves when what changed has been kept. */
  readonly keep: () => Promise<void>;
}

/** Handlers of openapi/nexus-producers.json. */
export function nexusHandlers({ registry, clock, leaseMs, keep }: HandlerOptions): Record<string, Handler> {
  const lease = { secs: BigInt(Math.floor(leaseMs / 1000)), nanos: Math.round((leaseMs % 1000) * 1e6) };
  return {
    async cpapi_producers_post({ body }) {
      const changed = registry.putProducer(checkedEndpoint(body as ProducerEndpoint), clock.monotonicNs());
      if (changed) await keep();
      const response: nexusProducers.ProducerRegistrationResponse = { lease_duration: lease };
      return { status: 201, body: response };
    },
    async cpapi_collectors_post({ body }) {
      const collector = body as nexusProducers.OximeterInfo;
      checkAddress(collector.address);
      if (registry.putCollector(collector)) await keep();
      return { status: 204 };
    },
    async cpapi_assigned_producers_list({ params, query }) {
      return { status: 200, body: pageOf(registry.producersOf(params["collector_id"]!), (endpoint) => endpoint.id, query) };
    },
  };
}

/** The endpoint without what is not part of it. Throws `usage` on what no collector can use. */
function checkedEndpoint({ id, kind, address, interval: { secs, nanos } }: ProducerEndpoint): ProducerEndpoint {
  checkAddress(address);
  // Upstream takes it, and its collector then ends for want of a start delay to draw.
  if (secs === 0n && nanos === 0)
    throw new ZonemeterError("usage", "interval 0 s leaves no time between collections: give a longer one, such as 10 s.");
  return { id, kind, address, interval: { secs, nanos } };
}

function checkAddress(address: string): void {
  const parsed = parseSocketAddress(address);
  if (parsed === null)
    throw new ZonemeterError(
      "usage",
      `unable to parse JSON body: address: "${address.slice(0, 80)}" is not IP:PORT, such as 127.0.0.1:80 or [::1]:80`,
    );
  if (parsed.port === 0)
    throw new ZonemeterError("usage", `address ${address} has port 0, where nothing can be reached: give the port that was really bound.`);
}
