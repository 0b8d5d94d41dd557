import type { ListenAddress, SocketAddress } from "../core/index.ts";

export const CONFIG_LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export const CONFIG_CLOCK_GATES = ["none", "build-date", "ntp"] as const;
export const CONFIG_SOURCES = ["kstat", "zonestat", "vmusage", "cgroup", "replay"] as const;

export type ConfigLogLevel = (typeof CONFIG_LOG_LEVELS)[number];
export type ConfigClockGate = (typeof CONFIG_CLOCK_GATES)[number];
export type ConfigSource = (typeof CONFIG_SOURCES)[number];

/** Everything that can be set, checked. What each means stands in settings.ts, which the documentation is made from. */
export interface Config {
  readonly sled: {
    readonly rackId: string;
    readonly sledId: string | null;
    readonly sledModel: string;
    readonly sledRevision: number;
    readonly sledSerial: string | null;
  };
  readonly producer: {
    readonly listen: SocketAddress;
    readonly nexus: SocketAddress;
    readonly sources: readonly ConfigSource[] | null;
    readonly compareSources: boolean;
    readonly sampleIntervalMs: number;
    readonly slowSampleIntervalMs: number;
    readonly collectIntervalMs: number;
    readonly stateDir: string;
    readonly clockGate: ConfigClockGate;
  };
  readonly collector: {
    readonly listen: SocketAddress;
    readonly nexus: SocketAddress;
    readonly batchSamples: number;
    readonly batchIntervalMs: number;
    readonly refreshIntervalMs: number;
    readonly stateDir: string;
  };
  readonly nexus: {
    readonly listen: SocketAddress;
    readonly leaseMs: number;
    readonly expirySweepMs: number;
    readonly stateFile: string;
  };
  readonly store: {
    readonly url: string | null;
    readonly user: string | null;
    readonly password: string | null;
    readonly tlsCa: string | null;
    readonly dataDir: string;
    readonly retentionDays: number;
  };
  readonly api: {
    readonly operatorListen: ListenAddress | null;
    readonly customerListen: ListenAddress | null;
    readonly tlsCert: string | null;
    readonly tlsKey: string | null;
    readonly clientCa: string | null;
    readonly tokenFile: string | null;
    readonly socketMode: number;
    readonly rateLimit: number;
  };
  readonly up: {
    readonly portBase: number;
    readonly dataDir: string;
    readonly replay: readonly string[];
    readonly recordedStartNs: bigint | null;
    readonly recordedIntervalMs: number | null;
    readonly clockGate: ConfigClockGate;
  };
  readonly log: {
    readonly level: ConfigLogLevel;
  };
}

export type Section = keyof Config;
