import { NEXUS_MAX_COLLECTORS, NEXUS_MAX_PRODUCERS, ZonemeterError } from "../core/index.ts";
import type { nexusProducers } from "../generated/index.ts";

export type ProducerEndpoint = nexusProducers.ProducerEndpoint;
export type Collector = nexusProducers.OximeterInfo;

/** A producer, the collector it was given to, and when its lease ends by the monotonic clock. */
export interface Registration {
  readonly endpoint: ProducerEndpoint;
  readonly collectorId: string;
  readonly leaseUntilNs: bigint;
}

/** What survives a restart. Leases do not: they begin anew, as producers could not renew while Nexus was away. */
export interface RegistryState {
  readonly collectors: readonly Collector[];
  readonly assignments: readonly Pick<Registration, "endpoint" | "collectorId">[];
}

/**
 * Who produces, who collects, and who was given to whom, by upstream's rules: a new producer goes to a random collector, a known one keeps
 * its collector whatever else changes, and a lease that was not renewed ends the registration. Ids are lower-case UUIDs.
 */
export class Registry {
  readonly #leaseNs: bigint;
  readonly #random: () => number;
  readonly #collectors = new Map<string, Collector>();
  readonly #producers = new Map<string, Registration>();
  #listings = new Map<string, readonly ProducerEndpoint[]>();

  /** `random` gives numbers from 0 up to but not including 1. */
  constructor(leaseNs: bigint, random: () => number) {
    this.#leaseNs = leaseNs;
    this.#random = random;
  }

  /** Adds or moves a collector. True where anything changed. Throws `limit` when there are too many. */
  putCollector(collector: Collector): boolean {
    const known = this.#collectors.get(collector.collector_id);
    if (known?.address === collector.address) return false;
    if (known === undefined && this.#collectors.size >= NEXUS_MAX_COLLECTORS) {
      throw new ZonemeterError("limit", `${NEXUS_MAX_COLLECTORS} collectors are registered already; no more are taken.`);
    }
    this.#collectors.set(collector.collector_id, { address: collector.address, collector_id: collector.collector_id });
    return true;
  }

  /**
   * Adds a producer, or renews its lease and takes over its new details. True where more than the lease changed. Throws `unavailable` while
   * there is no collector, `limit` when there are too many producers.
   */
  putProducer(endpoint: ProducerEndpoint, nowNs: bigint): boolean {
    const known = this.#producers.get(endpoint.id);
    const collectorId = known?.collectorId ?? this.#chooseCollector();
    if (known === undefined && this.#producers.size >= NEXUS_MAX_PRODUCERS) {
      throw new ZonemeterError("limit", `${NEXUS_MAX_PRODUCERS} producers are registered already; no more are taken.`);
    }
    const changed = known === undefined || !sameEndpoint(known.endpoint, endpoint);
    this.#producers.set(endpoint.id, { endpoint: changed ? endpoint : known.endpoint, collectorId, leaseUntilNs: nowNs + this.#leaseNs });
    if (changed) this.#listings.delete(collectorId);
    return changed;
  }

  /** Forgets the producers whose leases have ended, and returns them. */
  expire(nowNs: bigint): Registration[] {
    const expired = [...this.#producers.values()].filter((registration) => registration.leaseUntilNs < nowNs);
    for (const { endpoint, collectorId } of expired) {
      this.#producers.delete(endpoint.id);
      this.#listings.delete(collectorId);
    }
    return expired;
  }

  /** The producers of one collector, ascending by id; none where the collector is unknown. */
  producersOf(collectorId: string): readonly ProducerEndpoint[] {
    let listing = this.#listings.get(collectorId);
    if (listing === undefined) {
      const own = [...this.#producers.values()].filter((registration) => registration.collectorId === collectorId);
      listing = own.map(({ endpoint }) => endpoint).sort((a, b) => (a.id < b.id ? -1 : 1));
      if (this.#collectors.has(collectorId)) this.#listings.set(collectorId, listing);
    }
    return listing;
  }

  collector(id: string): Collector | undefined {
    return this.#collectors.get(id);
  }

  state(): RegistryState {
    return {
      collectors: [...this.#collectors.values()],
      assignments: [...this.#producers.values()].map(({ endpoint, collectorId }) => ({ endpoint, collectorId })),
    };
  }

  /** Takes over a state that was kept; leases begin now. */
  restore(state: RegistryState, nowNs: bigint): void {
    for (const collector of state.collectors) this.#collectors.set(collector.collector_id, collector);
    for (const { endpoint, collectorId } of state.assignments) {
      this.#producers.set(endpoint.id, { endpoint, collectorId, leaseUntilNs: nowNs + this.#leaseNs });
    }
    this.#listings = new Map();
  }

  #chooseCollector(): string {
    const ids = [...this.#collectors.keys()];
    const chosen = ids[Math.floor(this.#random() * ids.length)];
    if (chosen === undefined) throw new ZonemeterError("unavailable", "No collector has registered, so no producer can be given to one.");
    return chosen;
  }
}

function sameEndpoint(a: ProducerEndpoint, b: ProducerEndpoint): boolean {
  return a.address === b.address && a.kind === b.kind && a.interval.secs === b.interval.secs && a.interval.nanos === b.interval.nanos;
}
