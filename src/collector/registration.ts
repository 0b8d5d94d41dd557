import {
  COLLECTOR_REGISTRATION_RENEW_MS,
  formatSocketAddress,
  messageOf,
  REGISTRATION_TIMEOUT_MS,
  ZonemeterError,
  type SocketAddress,
} from "../core/index.ts";
import { nexusProducers } from "../generated/index.ts";
import { callServer, loadDocument, type ServerLocation } from "../http/index.ts";
import { Backoff, INTERNAL_SERVICE_BACKOFF, sleep, withDeadline, type BackoffPolicy, type Logger } from "../runtime/index.ts";

export interface CollectorRegistrationOptions {
  readonly nexus: ServerLocation;
  readonly collectorId: string;
  /** Where the collector's own API is. */
  readonly address: SocketAddress;
  readonly logger: Logger;
  readonly backoff?: BackoffPolicy;
  readonly renewMs?: number;
}

export interface CollectorRegistration {
  /**
   * True once Nexus knows of the collector, false where it was stopped before. Rejects with ZonemeterError `config` where Nexus refuses it (a 4xx),
   * which ends a collector as it does upstream; connection errors and 5xx are tried again without an end.
   */
  readonly first: Promise<boolean>;
  stop(): Promise<void>;
}

/**
 * Makes a collector known to Nexus. Upstream does so once, at the start; this goes on once a minute, so that a Nexus that lost its state has a
 * collector to give producers to. Failures after the first success are only logged.
 */
export function startCollectorRegistration(options: CollectorRegistrationOptions): CollectorRegistration {
  const { logger, renewMs = COLLECTOR_REGISTRATION_RENEW_MS } = options;
  const document = loadDocument("nexus-producers");
  const body: nexusProducers.OximeterInfo = { collector_id: options.collectorId, address: formatSocketAddress(options.address) };
  const backoff = new Backoff(options.backoff ?? INTERNAL_SERVICE_BACKOFF);
  const stopping = new AbortController();

  /** Registers once. Throws `config` where Nexus says that the request itself is wrong. */
  const register = async (): Promise<void> => {
    const answer = await withDeadline(
      REGISTRATION_TIMEOUT_MS,
      "The registration with Nexus",
      (signal) =>
        callServer(options.nexus, { document, name: "Nexus" }, signal, (client) =>
          nexusProducers.cpapiCollectorsPost({ client, body, signal }),
        ),
      stopping.signal,
    );
    if (answer.ok) return;
    const sentence = `Nexus refused the collector ${body.collector_id} at ${body.address} with status ${answer.status}: ${answer.message}`;
    throw new ZonemeterError(answer.status < 500 ? "config" : "unavailable", sentence);
  };
  const registerFirst = async (): Promise<boolean> => {
    let lastReason: string | null = null;
    while (!stopping.signal.aborted) {
      try {
        await register();
        logger.info({ address: body.address }, "registered with Nexus");
        return true;
      } catch (error) {
        if (stopping.signal.aborted) break;
        if (error instanceof ZonemeterError && error.code === "config") throw error;
        const reason = messageOf(error);
        if (reason !== lastReason) logger.warn({ reason }, "could not register with Nexus; trying again");
        lastReason = reason;
        await sleep(backoff.next(), stopping.signal);
      }
    }
    return false;
  };
  const keepRegistered = async (): Promise<void> => {
    for (;;) {
      await sleep(renewMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await register().catch((error: unknown) => {
        if (!stopping.signal.aborted) logger.warn({ reason: messageOf(error) }, "could not register with Nexus again");
      });
    }
  };
  const first = registerFirst();
  const ended = first.then(
    (registered) => (registered ? keepRegistered() : undefined),
    () => undefined,
  );
  return {
    first,
    async stop() {
      stopping.abort(new ZonemeterError("unavailable", "The registration was stopped."));
      await ended;
    },
  };
}
