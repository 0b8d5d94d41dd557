import { formatSocketAddress } from "../../src/core/index.ts";
import { nexusProducers } from "../../src/generated/index.ts";
import { createApiClient, loadDocument, type ApiClient } from "../../src/http/index.ts";
import { startNexus, type Nexus, type NexusOptions } from "../../src/nexus/index.ts";
import { recordingLogger, type LogLine } from "./logs.ts";
import { ManualClock } from "./manual-clock.ts";

export interface TestNexus {
  readonly nexus: Nexus;
  readonly client: ApiClient;
  readonly clock: ManualClock;
  readonly lines: LogLine[];
  stop(): Promise<void>;
}

/** A standalone Nexus on a free port of 127.0.0.1, with a clock moved by hand and without a state file unless one is named. */
export async function startTestNexus(options: Partial<NexusOptions> = {}): Promise<TestNexus> {
  const clock = new ManualClock(1_772_000_000_000_000_000n, 5_000_000_000n);
  const { logger, lines } = recordingLogger();
  const nexus = await startNexus({ host: "127.0.0.1", port: 0, stateFile: null, clock, logger, ...options });
  const client = createApiClient({
    document: loadDocument("nexus-producers"),
    name: "Nexus",
    baseUrl: `http://${formatSocketAddress(nexus.address)}`,
  });
  return { nexus, client, clock, lines, stop: async () => void (await Promise.all([client.close(), nexus.close()])) };
}

/** A UUID that ends in `number`. */
export function uuid(number: number): string {
  return `5b5a2d2e-7c1e-4a55-9d3f-${number.toString(16).padStart(12, "0")}`;
}

export function endpoint(number: number, changes: Partial<nexusProducers.ProducerEndpoint> = {}): nexusProducers.ProducerEndpoint {
  return { id: uuid(number), kind: "service", address: `127.0.0.1:${1_000 + number}`, interval: { secs: 10n, nanos: 0 }, ...changes };
}

/** Registers a producer; the answer whatever it is. */
export function post({ client }: Pick<TestNexus, "client">, body: nexusProducers.ProducerEndpoint) {
  return nexusProducers.cpapiProducersPost({ client, body });
}

export async function addCollector({ client }: Pick<TestNexus, "client">, id: string, address = "127.0.0.1:9"): Promise<void> {
  const answer = await nexusProducers.cpapiCollectorsPost({ client, body: { collector_id: id, address } });
  if (!answer.ok) throw new Error(answer.message);
}

export async function list(
  { client }: Pick<TestNexus, "client">,
  collectorId: string,
  query: { limit?: number; page_token?: string | null } = {},
): Promise<nexusProducers.ProducerEndpointResultsPage> {
  const answer = await nexusProducers.cpapiAssignedProducersList({ client, path: { collector_id: collectorId }, query });
  if (!answer.ok) throw new Error(answer.message);
  return answer.data;
}
