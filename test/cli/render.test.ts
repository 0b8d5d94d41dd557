import { describe, expect, it } from "vitest";
import { renderCsv, renderNdjson } from "../../src/cli/render-rows.ts";
import { renderTables } from "../../src/cli/render-table.ts";
import { fieldSet, NIL_UUID, type Field } from "../../src/core/index.ts";
import type { Table, Timeseries } from "../../src/oxql/index.ts";

const UUID = "4f6c1c1e-71a8-4d2c-9d1e-0b8a7f0f1a01";

function text(name: string, value: string): Field {
  return { name, value: { type: "string", value } };
}

function gauge(fields: readonly Field[], values: readonly (number | null)[]): Timeseries {
  return {
    fields: fieldSet(fields),
    alignment: null,
    points: {
      startTimesNs: null,
      timestampsNs: BigInt64Array.from(values, (_, i) => 1_795_000_000_000_000_000n + BigInt(i) * 1_000_000_001n),
      dimensions: [
        {
          metricType: "gauge",
          values: {
            type: "double",
            values: Float64Array.from(values, (value) => value ?? 0),
            present: Uint8Array.from(values, (value) => (value === null ? 0 : 1)),
          },
        },
      ],
    },
  };
}

function zone(name: string, type: string, id: string): Field[] {
  return [
    text("zone_name", name),
    text("zone_type", type),
    { name: "zone_id", value: { type: "uuid", value: id } },
    text("sled_serial", "07"),
  ];
}

const TWO: Table = {
  name: "zone_resource:cpu_used",
  timeseries: [
    gauge(zone(`oxz_nexus_${UUID}`, "nexus", UUID), [1.6657699619823167, null]),
    gauge(zone("global", "", NIL_UUID), [51_699_280_729.93]),
  ],
};

describe("a table", () => {
  it("lifts what is the same, leaves out what the zone's name says, and keeps columns straight", () => {
    expect(renderTables([TWO], "by-fields")).toBe(
      [
        "zone_resource:cpu_used",
        "  sled_serial = 07",
        "zone_name                                       timestamp                    cpu_used",
        "----------------------------------------------  ------------------------  -----------",
        "global                                          2026-11-18T11:06:40Z      51699280730",
        `oxz_nexus_${UUID}  2026-11-18T11:06:40Z          1.66577`,
        `oxz_nexus_${UUID}  2026-11-18T11:06:41.000Z            -`,
        "",
      ].join("\n"),
    );
  });

  it("keeps the order of a ranked answer", () => {
    const names = renderTables([TWO], "as-answered").match(/^(global|oxz_nexus)/gm);
    expect(names).toEqual(["oxz_nexus", "oxz_nexus", "global"]);
  });

  it("says where there is nothing, and lets no control character through", () => {
    expect(renderTables([{ name: "a:b", timeseries: [] }], "by-fields")).toBe("a:b: no data\n");
    expect(renderTables([{ name: "a:b", timeseries: [gauge([text("zone_name", "x\u001b[31m")], [1])] }], "by-fields")).toContain(
      "x\\u{1b}[31m",
    );
  });

  it("tells an empty text from a missing value", () => {
    const rendered = renderTables([{ name: "a:b", timeseries: [gauge([text("kind", "")], [null])] }], "by-fields");
    expect(rendered).toContain('  kind = ""\n');
    expect(rendered.trim().split("\n").at(-1)).toMatch(/ -$/);
  });
});

describe("rows for pipes", () => {
  it("are CSV with a column for every field and metric", () => {
    expect([...renderCsv([TWO], "by-fields")].map((row) => row.trim())).toEqual([
      "timeseries,sled_serial,zone_id,zone_name,zone_type,start_time,timestamp,cpu_used",
      `zone_resource:cpu_used,07,${NIL_UUID},global,"",,2026-11-18T11:06:40Z,51699280729.93`,
      `zone_resource:cpu_used,07,${UUID},oxz_nexus_${UUID},nexus,,2026-11-18T11:06:40Z,1.6657699619823167`,
      `zone_resource:cpu_used,07,${UUID},oxz_nexus_${UUID},nexus,,2026-11-18T11:06:41.000000001Z,`,
    ]);
  });

  it("are one JSON object a point", () => {
    const [first] = [...renderNdjson([TWO], "as-answered")];
    expect(JSON.parse(first!)).toEqual({
      timeseries: "zone_resource:cpu_used",
      fields: { sled_serial: "07", zone_id: UUID, zone_name: `oxz_nexus_${UUID}`, zone_type: "nexus" },
      timestamp: "2026-11-18T11:06:40Z",
      values: { cpu_used: 1.6657699619823167 },
    });
  });
});
