import {
  formatSocketAddress,
  messageOf,
  NS_PER_MS,
  NS_PER_SECOND,
  REGISTRATION_MAX_WAIT_MS,
  REGISTRATION_MIN_WAIT_MS,
  REGISTRATION_TIMEOUT_MS,
  systemClock,
  ZonemeterError,
  type Clock,
  type SocketAddress,
} from "../core/index.ts";
import { nexusProducers } from "../generated/index.ts";
import { callServer, loadDocument, type ServerLocation } from "../http/index.ts";
import { Backoff, INTERNAL_SERVICE_BACKOFF, sleep, withDeadline, type BackoffPolicy, type Logger } from "../runtime/index.ts";

export interface RegistrationOptions {
  readonly nexus: ServerLocation;
  readonly producerId: string;
  readonly kind: nexusProducers.ProducerKind;
  /** Where collectors reach the producer: really bound, not port 0. */
  readonly address: SocketAddress;
  /** How often collectors are asked to come. */
  readonly intervalMs: number;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly backoff?: BackoffPolicy;
}

export interface RegistrationState {
  /** Whether Nexus still knows of the producer: a lease was granted and has not ended. */
  readonly registered: boolean;
  /** Why the last attempt failed; null where it succeeded. */
  readonly lastError: string | null;
  /** End of the last lease by the wall clock, in ns since the epoch; null before the first. */
  readonly leaseUntilNs: bigint | null;
}

export interface Registration {
  state(): RegistrationState;
  /** Ends what is under way at once. Nexus keeps the producer until its lease ends: there is no call to leave. */
  stop(): Promise<void>;
}

interface Lease {
  readonly wallUntilNs: bigint;
  readonly monotonicUntilNs: bigint;
}

/**
 * Registers a producer with Nexus in the background and keeps it registered: it renews at a quarter of the lease, and tries again after every
 * failure, with upstream's delays and without an end, as upstream's producers do even where Nexus refuses. Attempts never overlap.
 */
export function startRegistration(options: RegistrationOptions): Registration {
  const { clock = systemClock, logger } = options;
  const document = loadDocument("nexus-producers");
  const body: nexusProducers.ProducerEndpoint = {
    id: options.producerId,
    kind: options.kind,
    address: formatSocketAddress(options.address),
    interval: durationOf(options.intervalMs),
  };
  const backoff = new Backoff(options.backoff ?? INTERNAL_SERVICE_BACKOFF);
  const stopping = new AbortController();
  let lease: Lease | null = null;
  let lastError: string | null = null;

  const register = (signal: AbortSignal): Promise<bigint> =>
    withDeadline(
      REGISTRATION_TIMEOUT_MS,
      "The registration with Nexus",
      async (work) => {
        const answer = await callServer(options.nexus, { document, name: "Nexus" }, work, (client) =>
          nexusProducers.cpapiProducersPost({ client, body, signal: work }),
        );
        if (!answer.ok)
          throw new ZonemeterError("unavailable", `Nexus refused the registration with status ${answer.status}: ${answer.message}`);
        const { secs, nanos } = answer.data.lease_duration;
        return secs * NS_PER_SECOND + BigInt(nanos);
      },
      signal,
    );

  /** One attempt; gives the wait before the next. */
  const attempt = async (): Promise<number> => {
    try {
      const leaseNs = await register(stopping.signal);
      if (lastError !== null || lease === null) logger.info({ address: body.address }, "registered with Nexus");
      lease = { wallUntilNs: clock.wallNs() + leaseNs, monotonicUntilNs: clock.monotonicNs() + leaseNs };
      lastError = null;
      backoff.reset();
      return Math.min(Math.max(Number(leaseNs / 4n / NS_PER_MS), REGISTRATION_MIN_WAIT_MS), REGISTRATION_MAX_WAIT_MS);
    } catch (error) {
      const reason = messageOf(error);
      // The same failure again and again is told once.
      if (!stopping.signal.aborted && reason !== lastError) logger.warn({ reason }, "could not register with Nexus; trying again");
      lastError = reason;
      return backoff.next();
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) await sleep(await attempt(), stopping.signal);
  };
  const ended = run();
  return {
    state: () => ({
      registered: lease !== null && clock.monotonicNs() < lease.monotonicUntilNs,
      lastError,
      leaseUntilNs: lease?.wallUntilNs ?? null,
    }),
    async stop() {
      stopping.abort(new ZonemeterError("unavailable", "The registration was stopped."));
      await ended;
    },
  };
}

function durationOf(ms: number): nexusProducers.Duration {
  const ns = BigInt(Math.round(ms * 1e6));
  return { secs: ns / NS_PER_SECOND, nanos: Number(ns % NS_PER_SECOND) };
}
