import { CONFIG_CLOCK_GATES, CONFIG_LOG_LEVELS, CONFIG_SOURCES, type Config, type Section } from "./config.ts";
import {
  address,
  duration,
  fileMode,
  flag,
  listener,
  listOf,
  oneOf,
  optional,
  path,
  secret,
  text,
  timestamp,
  url,
  uuid,
  whole,
  type Kind,
} from "./kinds.ts";

/** One thing that can be set. */
export interface Setting {
  readonly section: Section;
  /** Its key in Config. */
  readonly key: string;
  /** Its key in the file. */
  readonly name: string;
  readonly kind: Kind<unknown>;
  readonly description: string;
  /** The command-line flag that sets it, if one does. */
  readonly flag: string | null;
}

function setting<S extends Section, K extends keyof Config[S] & string>(
  section: S,
  key: K,
  name: string,
  kind: Kind<Config[S][K]>,
  description: string,
  commandFlag: string | null = null,
): Setting {
  return { section, key, name, kind: kind as unknown as Kind<unknown>, description, flag: commandFlag };
}

const DAY_MS = 86_400_000;

/** Every setting, in the order of the documentation. */
export const SETTINGS: readonly Setting[] = [
  setting("sled", "rackId", "rack_id", uuid, "Field `rack_id` of every timeseries: the rack that the sled is in."),
  setting(
    "sled",
    "sledId",
    "sled_id",
    optional(uuid, "(from the machine id)"),
    "Field `sled_id`: must differ from sled to sled and stay the same.",
  ),
  setting("sled", "sledModel", "sled_model", text, "Field `sled_model`: the part number."),
  setting("sled", "sledRevision", "sled_revision", whole(0, 4_294_967_295), "Field `sled_revision`."),
  setting("sled", "sledSerial", "sled_serial", optional(text, "(the host name)"), "Field `sled_serial`."),

  setting("producer", "listen", "listen", address("any"), "Where collectors fetch samples; they must reach it. Port 0 takes any free one."),
  setting("producer", "nexus", "nexus", address("reachable"), "Nexus, to register with."),
  setting(
    "producer",
    "sources",
    "sources",
    optional(listOf(oneOf(CONFIG_SOURCES), 1), "(the platform's own)"),
    "What measures. Of a metric that several have, the first gives the numbers.",
    "--source",
  ),
  setting(
    "producer",
    "compareSources",
    "compare_sources",
    flag,
    "Lets every source give every metric it has, to compare them. Sums over sources then count twice.",
  ),
  setting(
    "producer",
    "sampleIntervalMs",
    "sample_interval",
    duration(100, DAY_MS),
    "Time between two samples of the quick sources: kstat, cgroup.",
    "--sample-interval",
  ),
  setting(
    "producer",
    "slowSampleIntervalMs",
    "slow_sample_interval",
    duration(1_000, DAY_MS),
    "Time between two samples of the costly ones: zonestat, vmusage.",
  ),
  setting(
    "producer",
    "collectIntervalMs",
    "collect_interval",
    duration(100, DAY_MS),
    "How often collectors are asked to come.",
    "--collect-interval",
  ),
  setting("producer", "stateDir", "state_dir", path, "Keeps the producer's id and what it knows of zones over restarts."),
  setting(
    "producer",
    "clockGate",
    "clock_gate",
    oneOf(CONFIG_CLOCK_GATES),
    "What the wall clock must show before anything is sampled: nothing, a time after this version was made, or a time server.",
  ),

  setting("collector", "listen", "listen", address("any"), "The collector's own API; Nexus must reach it."),
  setting("collector", "nexus", "nexus", address("reachable"), "Nexus, which gives the list of producers."),
  setting("collector", "batchSamples", "batch", whole(1, 100_000), "Samples that start an insert."),
  setting("collector", "batchIntervalMs", "batch_interval", duration(10, 3_600_000), "Time after which fewer samples do."),
  setting("collector", "refreshIntervalMs", "refresh_interval", duration(100, 3_600_000), "How often the list of producers is read."),
  setting("collector", "stateDir", "state_dir", path, "Keeps the collector's id and samples that are not stored yet."),

  setting("nexus", "listen", "listen", address("any"), "Where the standalone Nexus serves producers and collectors."),
  setting("nexus", "leaseMs", "lease", duration(100, DAY_MS), "Time after which a producer that did not register again is forgotten."),
  setting("nexus", "expirySweepMs", "expiry_sweep", duration(10, DAY_MS), "How often leases are looked at."),
  setting("nexus", "stateFile", "state_file", path, "Keeps registrations over restarts."),

  setting(
    "store",
    "url",
    "url",
    optional(url, "(embedded)"),
    "A ClickHouse server's HTTP address; without one the store is embedded.",
    "--store",
  ),
  setting("store", "user", "user", optional(text, "(of the address)"), "The user of the ClickHouse server."),
  setting("store", "password", "password", optional(secret, "(of the address)"), "That user's password; best given in the environment."),
  setting("store", "tlsCa", "tls_ca", optional(path, "(the machine's)"), "PEM file of who signs the ClickHouse server's certificate."),
  setting("store", "dataDir", "data_dir", path, "Where the embedded store keeps its data."),
  setting("store", "retentionDays", "retention_days", whole(1, 3_650), "Days that samples are kept."),

  setting(
    "api",
    "operatorListen",
    "operator_listen",
    optional(listener, "(127.0.0.1, 60 above up.port_base)"),
    "The operator API. An address that other machines can reach needs TLS and tokens.",
  ),
  setting(
    "api",
    "customerListen",
    "customer_listen",
    optional(listener, "(127.0.0.1, 61 above up.port_base)"),
    "The customer API. An address that other machines can reach needs TLS and tokens.",
  ),
  setting("api", "tlsCert", "tls_cert", optional(path, "(no TLS)"), "The APIs' certificate with its chain, PEM. SIGHUP reads it again."),
  setting("api", "tlsKey", "tls_key", optional(path, "(no TLS)"), "The key of that certificate, PEM."),
  setting(
    "api",
    "clientCa",
    "client_ca",
    optional(path, "(no client certificates)"),
    "Certificates of the authority whose client certificates count, PEM. The token file says whom they stand for.",
  ),
  setting(
    "api",
    "tokenFile",
    "token_file",
    optional(path, "(no tokens)"),
    "Who may ask, and the projects and silos there are (docs/security.md). With it every request must say who asks. SIGHUP reads it again.",
  ),
  setting("api", "socketMode", "socket_mode", fileMode, "Permissions of Unix sockets of the APIs."),
  setting(
    "api",
    "rateLimit",
    "rate_limit",
    whole(1, 100_000),
    "Requests per second of one principal who shows a token or certificate; twice that at once. Beyond it: 429.",
  ),

  setting(
    "up",
    "portBase",
    "port_base",
    whole(1, 65_474),
    "`zonemeter up` puts Nexus here, the collector 2 above, the operator API 60 and the customer API 61 above.",
    "--port-base",
  ),
  setting("up", "dataDir", "data_dir", path, "Everything that `zonemeter up` keeps.", "--data-dir"),
  setting("up", "replay", "replay", listOf(path, 0), "Recordings that `zonemeter up` plays.", "--replay"),
  setting(
    "up",
    "recordedStartNs",
    "recorded_start",
    optional(timestamp, "(the recording's own times)"),
    "Time of the first report of recordings that carry no times, such as `prstat -Z` without `-d`; also for `sample --input` and `import`.",
    "--recorded-start",
  ),
  setting(
    "up",
    "recordedIntervalMs",
    "recorded_interval",
    optional(duration(1, DAY_MS), "(what the text tells)"),
    "Time from one report to the next, where a recording without times does not tell that either: `prstat -Z`.",
    "--recorded-interval",
  ),
  setting("up", "clockGate", "clock_gate", oneOf(CONFIG_CLOCK_GATES), "As `producer.clock_gate`, for `zonemeter up`."),

  setting("log", "level", "level", oneOf(CONFIG_LOG_LEVELS), "The least that is logged."),
];

/** `producer.sample_interval` */
export function fullName({ section, name }: Pick<Setting, "section" | "name">): string {
  return `${section}.${name}`;
}

/** `ZONEMETER_PRODUCER_SAMPLE_INTERVAL` */
export function environmentName({ section, name }: Pick<Setting, "section" | "name">): string {
  return `ZONEMETER_${section}_${name}`.toUpperCase();
}
