import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DATUM_TYPES, FIELD_TYPES, UNITS, ZonemeterError, type TimeseriesSchema } from "../../src/core/index.ts";
import { loadCatalogue, loadVisibility, PRODUCT_SCHEMAS_DIR, renderMetricsDoc } from "../../src/schema/index.ts";
import { kettleWith } from "../support/kettle-schema.ts";

const fieldsOf = (schema: TimeseriesSchema, source: "target" | "metric"): string[] =>
  schema.fields
    .filter((field) => field.source === source)
    .map(({ name, type, values }) => `${name} ${type}${values === null ? "" : ` ${values.join(",")}`}`);

const SLED = ["rack_id uuid", "sled_id uuid", "sled_model string", "sled_revision u32", "sled_serial string"];
const ZONE = ["source string", "zone_id uuid", "zone_name string", "zone_type string"];

/** Metric, datum type, units, and the fields that it alone has. */
const ZONE_METRICS: readonly (readonly [string, string, string, ...string[]])[] = [
  ["cpu_cap", "f64", "count"],
  ["cpu_nsec", "cumulative_u64", "nanoseconds", "state string user,sys,waitrq"],
  ["cpu_throttled_nsec", "cumulative_u64", "nanoseconds"],
  ["cpu_used", "f64", "count"],
  ["forks_failed", "cumulative_u64", "count", "cause string cap,noproc,nomem,misc"],
  ["load_average", "f64", "none", "window string 1m,5m,15m"],
  ["memory_locked", "u64", "bytes"],
  ["memory_locked_cap", "u64", "bytes"],
  ["memory_peak", "u64", "bytes"],
  ["memory_resident", "u64", "bytes"],
  ["memory_resident_cap", "u64", "bytes"],
  ["memory_working_set", "u64", "bytes"],
  ["page_ins", "cumulative_u64", "count", "kind string anon,exec,fs"],
  ["pressure_nsec", "cumulative_u64", "nanoseconds", "resource string cpu,memory,io", "share string some,full"],
  ["processes", "u64", "count"],
  ["processes_cap", "u64", "count"],
  ["swap_alloc_failures", "cumulative_u64", "count"],
  ["swap_reserved", "u64", "bytes"],
  ["swap_reserved_cap", "u64", "bytes"],
  ["swap_used", "u64", "bytes"],
];

/** Timeseries of other targets: datum type, units, metric fields. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  "sled_resource:arc_size": ["u64", "bytes", "source string"],
  "sled_resource:cpus_online": ["u64", "count", "source string"],
  "sled_resource:memory_free": ["u64", "bytes", "source string"],
  "sled_resource:memory_total": ["u64", "bytes", "source string"],
  "sled_resource:swap_free": ["u64", "bytes", "source string"],
  "sled_resource:vmm_reservoir": ["u64", "bytes", "source string"],
  "zonemeter_collector:collections": ["cumulative_u64", "count", "producer_id uuid"],
  "zonemeter_collector:failed_collections": ["cumulative_u64", "count", "producer_id uuid", "reason string"],
  "zonemeter_collector:samples_collected": ["cumulative_u64", "count", "producer_id uuid"],
  "zonemeter_collector:samples_dropped": ["cumulative_u64", "count", "reason string"],
  "zonemeter_collector:samples_refused": ["cumulative_u64", "count", "reason string"],
  "zonemeter_producer:intervals_missed": ["cumulative_u64", "count", "source string"],
  "zonemeter_producer:readings_missing": ["cumulative_u64", "count", "source string"],
  "zonemeter_producer:samples_dropped": ["cumulative_u64", "count", "reason string"],
  "zonemeter_producer:snapshots_taken": ["cumulative_u64", "count", "source string"],
  "zonemeter_producer:source_duration_nsec": ["cumulative_u64", "nanoseconds", "source string"],
  "zonemeter_producer:source_interval_nsec": ["u64", "nanoseconds", "source string"],
  "zonemeter_producer:source_failures": ["cumulative_u64", "count", "reason string", "source string"],
};

describe("the product's catalogue", () => {
  const catalogue = loadCatalogue();

  test("zone_resource has every metric, in the wide shape: what differs from metric to metric is enumerated", () => {
    const zones = [...catalogue].filter(({ targetName }) => targetName === "zone_resource");
    expect(
      zones.map((schema) => [
        schema.metricName,
        schema.datumType,
        schema.units,
        ...fieldsOf(schema, "metric").filter((field) => !ZONE.includes(field)),
      ]),
    ).toEqual(ZONE_METRICS);
    for (const schema of zones) {
      expect(fieldsOf(schema, "target")).toEqual(SLED);
      expect(fieldsOf(schema, "metric")).toEqual(expect.arrayContaining(ZONE));
      expect(schema.version).toBe(1);
    }
  });

  test.each(Object.entries(OTHERS))("%s", (name, expected) => {
    const schema = catalogue.get(name)!;
    expect([schema.datumType, schema.units, ...fieldsOf(schema, "metric")]).toEqual(expected);
  });

  test("targets are who they say", () => {
    const targetFields = (name: string): string[] => fieldsOf(catalogue.get(name)!, "target");
    expect(targetFields("sled_resource:arc_size")).toEqual(SLED);
    expect(targetFields("zonemeter_producer:samples_dropped")).toEqual([
      "producer_id uuid",
      "rack_id uuid",
      "sled_id uuid",
      "sled_serial string",
    ]);
    expect(targetFields("zonemeter_collector:collections")).toEqual(["collector_id uuid"]);
  });

  test("customers know of nothing in it", () => {
    expect(catalogue.size).toBeGreaterThanOrEqual(ZONE_METRICS.length + Object.keys(OTHERS).length);
    expect([...catalogue].filter(({ visibility, authzScope }) => visibility !== "operator_only" || authzScope !== "fleet")).toEqual([]);
    expect(catalogue.forCustomers().size).toBe(0);
  });

  test("every memory metric says where its number comes from", () => {
    const memory = [...catalogue].filter(
      ({ metricName, targetName }) => targetName === "zone_resource" && /^(memory|swap)_/.test(metricName),
    );
    expect(memory.length).toBe(10);
    for (const { metricDescription, timeseriesName } of memory)
      expect(metricDescription, timeseriesName).toMatch(/kstat|zonestat|vmusage|cgroup/);
  });

  test("upstream's names are seen by customers only where the table says so", () => {
    const visibilityOf = loadVisibility();
    expect(visibilityOf("zone_resource:cpu_nsec")).toBe("operator_only");
    expect(visibilityOf("zone:cpu_nsec")).toBe("operator_only");
    expect(visibilityOf("sled_cpu:cpu_nsec")).toBe("operator_only");
    expect(visibilityOf("virtual_machine:vcpu_usage")).toBe("customer");
    expect(visibilityOf("virtual_machine:check")).toBe("operator_only");
    expect(visibilityOf("virtual_machine:something_new")).toBe("operator_only");
    expect(visibilityOf("collection_target:ram_provisioned")).toBe("customer");
    expect(visibilityOf("never:heard_of")).toBe("operator_only");
  });

  test("the JSON Schema that editors read knows the same words as the program", () => {
    const schema = JSON.parse(readFileSync(join(PRODUCT_SCHEMAS_DIR, "definition.schema.json"), "utf8")) as {
      properties: {
        metrics: { items: { properties: { units: { enum: string[] }; datum_type: { enum: string[] } } } };
        fields: { additionalProperties: { properties: { type: { enum: string[] } } } };
      };
    };
    const metric = schema.properties.metrics.items.properties;
    expect(metric.units.enum).toEqual(UNITS);
    expect(metric.datum_type.enum).toEqual(DATUM_TYPES);
    expect(schema.properties.fields.additionalProperties.properties.type.enum).toEqual(FIELD_TYPES);
  });
});

describe("a catalogue of another folder", () => {
  let dir = "";
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "catalogue-"));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  test("is refused whole where one file is wrong, naming the place", () => {
    cpSync(PRODUCT_SCHEMAS_DIR, dir, { recursive: true });
    writeFileSync(join(dir, "kettle.toml"), kettleWith(['visibility = "operator_only"\n', ""]));
    expect(() => loadCatalogue(dir)).toThrow(ZonemeterError);
    expect(() => loadCatalogue(dir)).toThrow(
      `Schema ${join(dir, "kettle.toml")}:3:1: visibility-missing: the target does not say who may see it and is hidden: add visibility = "operator_only" or "customer"; \`zonemeter schema check ${dir}\` lists what to correct.`,
    );
  });

  test("is refused where there is none", () => {
    expect(() => loadCatalogue(join(dir, "nowhere"))).toThrow("does not exist; name an existing file or folder.");
  });
});

describe("the page of metrics", () => {
  const page = renderMetricsDoc(loadCatalogue());

  test("is the committed one", () => {
    expect(readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8")).toBe(page);
  });

  test("names every timeseries with its type, units, fields and values", () => {
    for (const { timeseriesName } of loadCatalogue()) expect(page).toContain(`### ${timeseriesName}\n`);
    expect(page).toContain("`cumulative_u64`; nanoseconds; `source`, `state`, `zone_id`, `zone_name`, `zone_type`\n");
    expect(page).toContain("One of `user`, `sys`, `waitrq`. |\n");
    expect(page).toContain("Seen by: operators only.\n");
    expect(page).toContain("| `uuid-field-name` | upstream 21 |");
  });
});
