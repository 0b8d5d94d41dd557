import { messageOf, NEXUS_NOTICE_TIMEOUT_MS } from "../core/index.ts";
import { oximeterCollector } from "../generated/index.ts";
import { createApiClient, type OpenApiDocument } from "../http/index.ts";
import type { Logger } from "../runtime/index.ts";
import type { Registration, Registry } from "./registry.ts";

/**
 * Tells collectors that producers have been forgotten, as upstream does. A failure is only logged: the collector finds out at its next refresh.
 * A collector that does not answer is not asked again in this round, so that many expired producers do not wait one after the other.
 */
export async function notifyCollectors(
  expired: readonly Registration[],
  registry: Registry,
  document: OpenApiDocument,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const collectorIds = new Set(expired.map((registration) => registration.collectorId));
  await Promise.all(
    [...collectorIds].map(async (collectorId) => {
      const registrations = expired.filter((registration) => registration.collectorId === collectorId);
      const collector = registry.collector(collectorId);
      if (collector === undefined) return;
      const client = createApiClient({
        document,
        name: "the collector",
        baseUrl: `http://${collector.address}`,
        timeoutMs: NEXUS_NOTICE_TIMEOUT_MS,
      });
      try {
        for (const { endpoint } of registrations) {
          const answer = await oximeterCollector.producerDelete({ client, path: { producer_id: endpoint.id }, signal });
          if (!answer.ok)
            logger.warn({ collectorId, producerId: endpoint.id, reason: answer.message }, "a collector refused to forget a producer");
        }
      } catch (error) {
        if (!signal.aborted)
          logger.warn(
            { collectorId, producers: registrations.length, reason: messageOf(error) },
            "a collector could not be told that producers have expired",
          );
      } finally {
        await client.close();
      }
    }),
  );
}
