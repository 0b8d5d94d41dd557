import {
  NEXUS_CLOSE_DEADLINE_MS,
  NEXUS_EXPIRY_SWEEP_MS,
  NEXUS_LEASE_MS,
  NS_PER_MS,
  type Clock,
  type SocketAddress,
} from "../core/index.ts";
import { loadDocument, startServer } from "../http/index.ts";
import { Loop, type Logger } from "../runtime/index.ts";
import { notifyCollectors } from "./expiry.ts";
import { nexusHandlers } from "./handlers.ts";
import { Registry, type RegistryState } from "./registry.ts";
import { readState } from "./state-file.ts";
import { StateKeeper } from "./state-keeper.ts";

export interface NexusOptions {
  /** An IP address. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly leaseMs?: number;
  readonly expirySweepMs?: number;
  /** Where registrations are kept over restarts; null keeps them in memory only. */
  readonly stateFile: string | null;
  /** A producer that is known to have ended: what was kept of it is not taken over, so that nobody is sent to where it was. */
  readonly endedProducerId?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Chooses collectors; numbers from 0 up to but not including 1. */
  readonly random?: () => number;
}

export interface Nexus {
  /** Where it really listens. */
  readonly address: SocketAddress;
  /** Ends the sweep and the server; what changed has been kept by then. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts the standalone Nexus: the part of the control plane that brings producers and collectors together, for where there is no rack.
 * Throws as startServer does, and `unavailable` where the state file cannot be read.
 */
export async function startNexus(options: NexusOptions): Promise<Nexus> {
  const { clock, logger, stateFile, leaseMs = NEXUS_LEASE_MS, expirySweepMs = NEXUS_EXPIRY_SWEEP_MS } = options;
  const registry = new Registry(BigInt(Math.round(leaseMs)) * NS_PER_MS, options.random ?? Math.random);
  const kept = stateFile === null ? null : await readState(stateFile, (message) => logger.warn({ stateFile }, message));
  if (kept !== null) registry.restore(without(kept, options.endedProducerId), clock.monotonicNs());
  const keeper = stateFile === null ? null : new StateKeeper(stateFile, () => registry.state(), logger);
  const keep = async (): Promise<void> => keeper?.keep();

  const server = await startServer({
    document: loadDocument("nexus-producers"),
    handlers: nexusHandlers({ registry, clock, leaseMs, keep }),
    host: options.host,
    port: options.port,
    name: "Nexus",
    logger,
    apiVersion: "required",
  });
  const collectorDocument = loadDocument("oximeter-collector");
  const sweep = new Loop({
    name: "producer expiry",
    intervalMs: expirySweepMs,
    firstDelayMs: expirySweepMs,
    logger,
    run: async (signal) => {
      const expired = registry.expire(clock.monotonicNs());
      if (expired.length === 0) return;
      for (const { endpoint } of expired) logger.info({ producerId: endpoint.id, address: endpoint.address }, "a producer's lease ended");
      await keep();
      await notifyCollectors(expired, registry, collectorDocument, logger, signal);
    },
  });
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await Promise.all([sweep.stop(), server.close(NEXUS_CLOSE_DEADLINE_MS)]);
    await keep();
  };
  return { address: server.address, close: () => (closed ??= close()) };
}

function without(state: RegistryState, producerId: string | undefined): RegistryState {
  return { ...state, assignments: state.assignments.filter(({ endpoint }) => endpoint.id !== producerId) };
}
