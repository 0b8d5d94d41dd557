import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  CONFIG_CLOCK_GATES,
  CONFIG_LOG_LEVELS,
  CONFIG_SOURCES,
  DEFAULTS,
  describeConfig,
  loadConfig,
  renderConfigurationDoc,
  unknownVariables,
  type ConfigSources,
} from "../../src/config/index.ts";
import { createLogger, type LogLevel } from "../../src/runtime/index.ts";
import { CLOCK_GATES, SOURCE_NAMES } from "../../src/sources/index.ts";

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "config-"));
  file = join(directory, "zonemeter.toml");
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const load = (sources: Partial<ConfigSources> = {}) => loadConfig({ file: null, env: {}, flags: {}, ...sources });
async function loadText(text: string, sources: Partial<ConfigSources> = {}) {
  await writeFile(file, text);
  return load({ file, ...sources });
}

describe("the configuration", () => {
  it("is the defaults where nothing is set, and cannot be changed", async () => {
    const { config } = await load();
    expect(config).toEqual(DEFAULTS);
    expect(Object.isFrozen(config) && Object.isFrozen(config.producer) && Object.isFrozen(DEFAULTS.sled)).toBe(true);
    expect(config.producer).toMatchObject({
      nexus: { host: "127.0.0.1", port: 12221 },
      sources: null,
      sampleIntervalMs: 10_000,
      collectIntervalMs: 30_000,
      clockGate: "ntp",
    });
    expect(config.up).toEqual({
      portBase: 12221,
      dataDir: "zonemeter-data",
      replay: [],
      recordedStartNs: null,
      recordedIntervalMs: null,
      clockGate: "build-date",
    });
    expect(config.sled).toEqual({
      rackId: "00000000-0000-0000-0000-000000000000",
      sledId: null,
      sledModel: "unknown",
      sledRevision: 0,
      sledSerial: null,
    });
  });

  it("reads every section of a file", async () => {
    const { config } = await loadText(`
      [sled]
      rack_id = "C0FFEE00-1111-2222-3333-444444444444"
      sled_id = "c0ffee00-1111-2222-3333-555555555555"
      sled_model = "913-0000019"
      sled_revision = 6
      sled_serial = "BRM42220031"
      [producer]
      listen = "[fd00:1122:3344:101::20]:0"
      nexus = "[fd00:1122:3344:101::1]:12221"
      sources = ["kstat", "vmusage"]
      compare_sources = true
      sample_interval = "5s"
      collect_interval = "1500ms"
      state_dir = "/data/producer"
      clock_gate = "none"
      [collector]
      listen = "10.0.0.1:9"
      nexus = "10.0.0.2:9"
      batch = 500
      [nexus]
      listen = "127.0.0.1:1"
      lease = "1m"
      state_file = "/data/nexus.json"
      [store]
      url = "http://clickhouse:8123"
      data_dir = "/data/store"
      retention_days = 7
      [api]
      operator_listen = "127.0.0.1:2"
      customer_listen = "0.0.0.0:3"
      [up]
      port_base = 20000
      data_dir = "d"
      replay = ["a.txt", "b,c.txt"]
      [log]
      level = "debug"
    `);
    expect(config).toMatchObject({
      sled: {
        rackId: "c0ffee00-1111-2222-3333-444444444444",
        sledId: "c0ffee00-1111-2222-3333-555555555555",
        sledModel: "913-0000019",
        sledRevision: 6,
        sledSerial: "BRM42220031",
      },
      producer: {
        listen: { host: "fd00:1122:3344:101::20", port: 0 },
        nexus: { host: "fd00:1122:3344:101::1", port: 12221 },
        sources: ["kstat", "vmusage"],
        compareSources: true,
        sampleIntervalMs: 5_000,
        slowSampleIntervalMs: 60_000,
        collectIntervalMs: 1_500,
        stateDir: "/data/producer",
        clockGate: "none",
      },
      collector: { listen: { host: "10.0.0.1", port: 9 }, nexus: { host: "10.0.0.2", port: 9 }, batchSamples: 500 },
      nexus: { listen: { host: "127.0.0.1", port: 1 }, leaseMs: 60_000, stateFile: "/data/nexus.json" },
      store: { url: "http://clickhouse:8123", user: null, password: null, tlsCa: null, dataDir: "/data/store", retentionDays: 7 },
      api: { operatorListen: { host: "127.0.0.1", port: 2 }, customerListen: { host: "0.0.0.0", port: 3 } },
      up: { portBase: 20_000, dataDir: "d", replay: ["a.txt", "b,c.txt"] },
      log: { level: "debug" },
    });
  });

  it("lets a flag count more than the environment, that more than the file, that more than the default", async () => {
    const text = '[up]\nport_base = 1000\ndata_dir = "file"\n[producer]\nsample_interval = "2s"\n[collector]\nbatch = 7';
    const loaded = await loadText(text, {
      env: { ZONEMETER_UP_PORT_BASE: "2000", ZONEMETER_UP_DATA_DIR: "environment", ZONEMETER_PRODUCER_SAMPLE_INTERVAL: "", PATH: "/bin" },
      flags: { "up.port_base": "3000", "up.data_dir": undefined },
    });
    expect(loaded.config.up).toMatchObject({ portBase: 3_000, dataDir: "environment" });
    expect(loaded.config.producer.sampleIntervalMs).toBe(2_000);
    const described = new Map(describeConfig(loaded).map(({ name, value, origin }) => [name, `${value} from ${origin}`]));
    expect(described.get("up.port_base")).toBe("3000 from --port-base");
    expect(described.get("up.data_dir")).toBe('"environment" from ZONEMETER_UP_DATA_DIR');
    expect(described.get("producer.sample_interval")).toBe(`"2s" from ${file}:5:1`);
    expect(described.get("collector.batch")).toBe(`7 from ${file}:7:1`);
    expect(described.get("log.level")).toBe('"info" from default');
    expect(described.get("producer.sources")).toBe("(the platform's own) from default");
    expect(described.get("nexus.lease")).toBe('"10m" from default');
    expect(described.get("producer.listen")).toBe('"127.0.0.1:0" from default');
  });

  it("takes lists from the environment and flags with commas between, or one flag for each", async () => {
    const { config } = await load({
      env: { ZONEMETER_PRODUCER_SOURCES: "zonestat, kstat", ZONEMETER_PRODUCER_COMPARE_SOURCES: "true" },
      flags: { "up.replay": ["a,b", "c"] },
    });
    expect(config.producer).toMatchObject({ sources: ["zonestat", "kstat"], compareSources: true });
    expect(config.up.replay).toEqual(["a,b", "c"]);
  });

  it("is found by ZONEMETER_CONFIG where no file is named, and that file counts less than one that is", async () => {
    await writeFile(file, '[log]\nlevel = "error"');
    expect((await load({ env: { ZONEMETER_CONFIG: file } })).config.log.level).toBe("error");
    const other = join(directory, "other.toml");
    await writeFile(other, "");
    expect((await load({ file: other, env: { ZONEMETER_CONFIG: file } })).config.log.level).toBe("info");
  });

  it("does not show a password", async () => {
    const loaded = await load({ env: { ZONEMETER_STORE_URL: "https://reader:hunter2@db:8443/" } });
    expect(loaded.config.store.url).toBe("https://reader:hunter2@db:8443/");
    expect(describeConfig(loaded).find(({ name }) => name === "store.url")?.value).toBe('"https://reader:***@db:8443/"');
    await expect(load({ env: { ZONEMETER_STORE_URL: "ftp://reader:hunter2@db" } })).rejects.toThrow(
      "ZONEMETER_STORE_URL (not shown) is not a URL: write it as http://HOST:PORT.",
    );
  });
});

describe("a mistake in the file", () => {
  it.each([
    [
      '[producer]\nsample_interval = "10"',
      '2:1: producer.sample_interval "10" is not a duration: write a whole number and a unit, such as 10s, 500ms or 5m.',
    ],
    ['[producer]\n  sample_interval = "0s"', '2:3: producer.sample_interval "0s" is not from 100ms to 24h.'],
    [
      "[producer]\nsample_interval = 10",
      '2:1: producer.sample_interval 10 is not a duration: write a whole number and a unit in quotes, such as "10s".',
    ],
    [
      '[producer]\nlisten = "sled:80"',
      '2:1: producer.listen "sled:80" is not an address: write IP:PORT, such as 127.0.0.1:12221 or [::1]:12221.',
    ],
    ['[producer]\nnexus = "127.0.0.1:0"', '2:1: producer.nexus "127.0.0.1:0" has port 0, where nothing can be reached.'],
    ['[producer]\nsources = ["kstat",\n "top"]', '2:1: producer.sources "top" is not one of kstat, zonestat, vmusage, cgroup, replay.'],
    ["[producer]\nsources = []", "2:1: producer.sources [] has less than 1 entry."],
    ['[producer]\nsources = "kstat"', '2:1: producer.sources "kstat" is not a list: put it in brackets.'],
    ["[sled]\nsled_revision = -1", "2:1: sled.sled_revision -1 is not a whole number from 0 to 4294967295."],
    ["[sled]\nsled_revision = 1.5", "2:1: sled.sled_revision 1.5 is not a whole number from 0 to 4294967295."],
    ['[sled]\nrack_id = "rack one"', '2:1: sled.rack_id "rack one" is not a UUID: write 32 hexadecimal digits as 8-4-4-4-12.'],
    ['[sled]\nsled_serial = ""', '2:1: sled.sled_serial "" is empty: give at least one character.'],
    ['[log]\nlevel = "verbose"', '2:1: log.level "verbose" is not one of debug, info, warn, error, silent.'],
    ["[producer]\ncompare_sources = 1", "2:1: producer.compare_sources 1 is neither true nor false."],
    ["up.port_base = 65475", "1:1: up.port_base 65475 is not a whole number from 1 to 65474."],
    [
      '# first\n\n[producer]\nsample_intervall = "10s"',
      '4:1: There is no setting "producer.sample_intervall"; did you mean "producer.sample_interval"?',
    ],
    ["[producer]\nbatch = 5", '2:1: There is no setting "producer.batch"; "batch" belongs to section [collector].'],
    ["[log]\ncolour = true", '2:1: There is no setting "log.colour"; there are log.level.'],
    ["[colector]\nbatch = 5", '1:1: There is no section "colector"; did you mean "collector"?'],
    ["x = 1", '1:1: There is no section "x"; there are sled, producer, collector, nexus, store, api, up, log.'],
    ["producer = 1", '1:1: "producer" is not a section: write [producer] above its settings.'],
    ["[[producer]]\nlisten = 1", '1:1: "producer" is not a section: write [producer] above its settings.'],
    ['[log]\n"level" = 3', "2:1: log.level 3 is not one of debug, info, warn, error, silent."],
    ["log = { level = 3 }", "1:1: log.level 3 is not one of debug, info, warn, error, silent."],
    ["[log]\nlevel = info", "2:12: This is not TOML: "],
    ['[log]\nlevel = "info"\nlevel = "warn"', "3:"],
  ])("%j is told with its place", async (text, message) => {
    const failure = await loadText(text).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "ZonemeterError", code: "config", exitCode: 2 });
    expect((failure as Error).message.slice(0, file.length + 1 + message.length)).toBe(`${file}:${message}`);
    expect((failure as Error).message).not.toContain("\n");
  });

  it("is told even where a flag counts more", async () => {
    await expect(loadText("[up]\nport_base = 0", { flags: { "up.port_base": "5" } })).rejects.toThrow("up.port_base 0");
  });

  it("names a file that is not there, or is no text", async () => {
    await expect(load({ file })).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/^The configuration file ".*" cannot be read: ENOENT/) as string,
    });
    await writeFile(file, Buffer.from([0xff, 0xfe, 0]));
    await expect(load({ file })).rejects.toMatchObject({ code: "config" });
  });
});

describe("a mistake elsewhere", () => {
  it("in the environment names the variable", async () => {
    await expect(load({ env: { ZONEMETER_COLLECTOR_BATCH: "many" } })).rejects.toMatchObject({
      code: "config",
      message: 'ZONEMETER_COLLECTOR_BATCH "many" is not a whole number from 1 to 100000.',
    });
    await expect(load({ env: { ZONEMETER_PRODUCER_COMPARE_SOURCES: "yes" } })).rejects.toThrow(
      'ZONEMETER_PRODUCER_COMPARE_SOURCES "yes" is neither true nor false.',
    );
  });

  it("in a flag names the flag and is a usage error", async () => {
    await expect(load({ flags: { "producer.sample_interval": "often" } })).rejects.toMatchObject({
      code: "usage",
      exitCode: 2,
      message: '--sample-interval "often" is not a duration: write a whole number and a unit, such as 10s, 500ms or 5m.',
    });
    await expect(load({ flags: { "up.port_base": "99999" } })).rejects.toThrow("--port-base 99999 is not a whole number from 1 to 65474.");
  });

  it("in the program, a flag without a setting, is a defect", async () => {
    await expect(load({ flags: { "up.nothing": "1" } })).rejects.toThrow("no setting is called up.nothing");
  });
});

describe("variables that are no settings", () => {
  it.each([
    ["ZONEMETER_PRODUCER_LISTNE", ": did you mean ZONEMETER_PRODUCER_LISTEN?"],
    ["ZONEMETER_COLLECTOR_BACTH", ": did you mean ZONEMETER_COLLECTOR_BATCH?"],
    ["ZONEMETER_TOKENS", ": did you mean ZONEMETER_TOKEN?"],
    ["ZONEMETER_SAMPLE_INTERVAL", ": did you mean ZONEMETER_PRODUCER_SAMPLE_INTERVAL?"],
    ["ZONEMETER_DATA_DIR", ": did you mean ZONEMETER_STORE_DATA_DIR or ZONEMETER_UP_DATA_DIR?"],
    ["ZONEMETER_BOGUS", " and has no effect: take it away."],
  ])("%s is told with what it may be meant for", (name, rest) => {
    expect(unknownVariables({ [name]: "1" })).toEqual([`The variable ${name} is no setting${rest}`]);
  });

  it("are not those that mean something, nor empty ones, nor what Kubernetes sets for a service of our name", () => {
    const env = {
      ZONEMETER_CONFIG: "f",
      ZONEMETER_URL: "http://a",
      ZONEMETER_TOKEN: "t",
      ZONEMETER_UP_DATA_DIR: "d",
      ZONEMETER_BOGUS: "",
      ZONEMETERS: "1",
      ZONEMETER_SERVICE_HOST: "10.0.0.1",
      ZONEMETER_API_SERVICE_PORT: "80",
      ZONEMETER_API_SERVICE_PORT_HTTP: "80",
      ZONEMETER_PORT: "tcp://10.0.0.1:80",
      ZONEMETER_PORT_80_TCP: "tcp://10.0.0.1:80",
      ZONEMETER_PORT_80_TCP_ADDR: "10.0.0.1",
      ZONEMETER_PORT_80_TCP_PROTO: "tcp",
    };
    expect(unknownVariables(env)).toEqual([]);
    expect(unknownVariables({ ZONEMETER_PORT: "80" })).toHaveLength(1);
  });
});

describe("names that other rooms have too", () => {
  it("are the same there", () => {
    expect(CONFIG_CLOCK_GATES).toEqual(CLOCK_GATES);
    expect(CONFIG_SOURCES).toEqual(SOURCE_NAMES);
    for (const level of CONFIG_LOG_LEVELS satisfies readonly LogLevel[]) expect(() => createLogger(level)).not.toThrow();
  });
});

describe("where an API listens", () => {
  it("is an address or a socket, with its permissions", async () => {
    const { config } = await loadText(
      '[api]\noperator_listen = "unix:/run/zonemeter/api.sock"\ncustomer_listen = "[::]:443"\nsocket_mode = "0660"',
    );
    expect(config.api).toMatchObject({
      operatorListen: { path: "/run/zonemeter/api.sock" },
      customerListen: { host: "::", port: 443 },
      socketMode: 0o660,
    });
    expect(DEFAULTS.api).toMatchObject({ operatorListen: null, customerListen: null, tokenFile: null, socketMode: 0o600 });
    const described = new Map(describeConfig({ config, origins: new Map() }).map(({ name, value }) => [name, value]));
    expect(described.get("api.operator_listen")).toBe('"unix:/run/zonemeter/api.sock"');
    expect(described.get("api.socket_mode")).toBe('"0660"');
  });

  it.each([
    ['operator_listen = "unix:api.sock"', 'api.operator_listen "unix:api.sock" is not a socket: write unix: and an absolute path'],
    ['operator_listen = "localhost:80"', 'api.operator_listen "localhost:80" is not an address: write IP:PORT'],
    [`operator_listen = "unix:/${"x".repeat(100)}"`, "api.operator_listen"],
    ['socket_mode = "0400"', 'api.socket_mode "0400" is not a mode of a socket'],
    ["socket_mode = 600", 'api.socket_mode 600 is not a mode: write octal digits in quotes, such as "0600".'],
    ["rate_limit = 0", "api.rate_limit 0 is not a whole number from 1 to 100000."],
  ])("%s is told", async (line, message) => {
    const failure = (await loadText(`[api]\n${line}`).catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ code: "config" });
    expect(failure.message).toContain(message);
  });
});

it("is documented whole", () => {
  const lines = renderConfigurationDoc().split("\n");
  for (const { name } of describeConfig({ config: DEFAULTS, origins: new Map() }))
    expect(lines.some((line) => line.startsWith(`| \`${name}\` |`))).toBe(true);
  expect(lines).toContain(
    '| `producer.sample_interval` | duration, 100ms to 24h | `"10s"` | `ZONEMETER_PRODUCER_SAMPLE_INTERVAL`, `--sample-interval` | Time between two samples of the quick sources: kstat, cgroup. |',
  );
});
