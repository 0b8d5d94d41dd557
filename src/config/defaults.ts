import {
  COLLECTOR_BATCH_INTERVAL_MS,
  COLLECTOR_BATCH_SAMPLES,
  NEXUS_EXPIRY_SWEEP_MS,
  NEXUS_LEASE_MS,
  NIL_UUID,
  RETENTION_DAYS,
  type SocketAddress,
} from "../core/index.ts";
import type { Config } from "./config.ts";

const LOOPBACK = "127.0.0.1";
const NEXUS: SocketAddress = Object.freeze({ host: LOOPBACK, port: 12_221 });

/** What holds where nothing is set. Intervals and ports are upstream's where it has such. */
export const DEFAULTS: Config = Object.freeze({
  sled: Object.freeze({ rackId: NIL_UUID, sledId: null, sledModel: "unknown", sledRevision: 0, sledSerial: null }),
  producer: Object.freeze({
    listen: Object.freeze({ host: LOOPBACK, port: 0 }),
    nexus: NEXUS,
    sources: null,
    compareSources: false,
    sampleIntervalMs: 10_000,
    slowSampleIntervalMs: 60_000,
    collectIntervalMs: 30_000,
    stateDir: "/var/lib/zonemeter/producer",
    clockGate: "ntp",
  }),
  collector: Object.freeze({
    listen: Object.freeze({ host: LOOPBACK, port: 12_223 }),
    nexus: NEXUS,
    batchSamples: COLLECTOR_BATCH_SAMPLES,
    batchIntervalMs: COLLECTOR_BATCH_INTERVAL_MS,
    refreshIntervalMs: 15_000,
    stateDir: "/var/lib/zonemeter/collector",
  }),
  nexus: Object.freeze({
    listen: NEXUS,
    leaseMs: NEXUS_LEASE_MS,
    expirySweepMs: NEXUS_EXPIRY_SWEEP_MS,
    stateFile: "/var/lib/zonemeter/nexus.json",
  }),
  store: Object.freeze({
    url: null,
    user: null,
    password: null,
    tlsCa: null,
    dataDir: "/var/lib/zonemeter/store",
    retentionDays: RETENTION_DAYS,
  }),
  api: Object.freeze({
    operatorListen: null,
    customerListen: null,
    tlsCert: null,
    tlsKey: null,
    clientCa: null,
    tokenFile: null,
    socketMode: 0o600,
    rateLimit: 50,
  }),
  up: Object.freeze({
    portBase: 12_221,
    dataDir: "zonemeter-data",
    replay: Object.freeze([]),
    recordedStartNs: null,
    recordedIntervalMs: null,
    clockGate: "build-date",
  }),
  log: Object.freeze({ level: "info" }),
});
