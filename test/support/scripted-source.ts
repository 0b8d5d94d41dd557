import type { Snapshot, Source, SourceName, SourceReport } from "../../src/sources/index.ts";

/** A source that does what a test says, and checks that its caller keeps to the contract. */
export class ScriptedSource implements Source {
  readonly name: SourceName;
  /** Reads begun. */
  reads = 0;
  closed = false;
  readonly #script: (read: number, signal: AbortSignal) => Promise<SourceReport> | SourceReport;
  #reading = false;

  /** `script` is called with the number of the read, from 0. */
  constructor(name: SourceName, script: (read: number, signal: AbortSignal) => Promise<SourceReport> | SourceReport) {
    this.name = name;
    this.#script = script;
  }

  async read(signal: AbortSignal): Promise<SourceReport> {
    if (this.#reading) throw new Error(`${this.name} was read while a read was going on`);
    if (this.closed) throw new Error(`${this.name} was read after it had been closed`);
    this.#reading = true;
    try {
      return await this.#script(this.reads++, signal);
    } finally {
      this.#reading = false;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

export function report(snapshots: readonly Snapshot[], ended = false): SourceReport {
  return { snapshots, diagnostics: [], ended };
}

const ZONE_ID = "4d6c0a1e-7b1f-4d52-9f3e-0a1b2c3d4e5f";

/** A snapshot of zone number `zone` at `timestampNs`, with the given CPU time in state user and further readings. */
export function zoneSnapshot(zone: number, timestampNs: bigint, userNs: bigint, more: Partial<Snapshot> = {}): Snapshot {
  const zoneId = `${ZONE_ID.slice(0, -4)}${String(zone).padStart(4, "0")}`;
  const zoneName = `oxz_nexus_${zoneId}`;
  return {
    source: "kstat",
    subject: { kind: "zone", zoneName, zoneType: "nexus", zoneId, incarnation: `${zoneName}@1`, startTimeNs: 1_700_000_000_000_000_000n },
    sled: null,
    timestampNs,
    readings: [{ metric: "cpu_nsec", labels: { state: "user" }, value: userNs }],
    ...more,
  };
}

export const SLED = {
  rackId: "11111111-1111-4111-8111-111111111111",
  sledId: "22222222-2222-4222-8222-222222222222",
  sledModel: "913-0000019",
  sledRevision: 6,
  sledSerial: "BRM42220001",
};
