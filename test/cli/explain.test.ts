import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runZonemeter } from "../support/zonemeter-process.ts";

const TEXT = "get zone_resource:cpu_nsec | filter state == 'user' && timestamp > @2026-05-04 && timestamp <= @2026-05-05 | align rate(1h)";

const ANSWER = {
  tables: [
    {
      name: "zone_resource:cpu_nsec",
      timeseries: [
        {
          fields: {},
          points: {
            start_times: null,
            timestamps: ["2026-05-04T01:00:00Z", "2026-05-04T02:00:00Z"],
            values: [{ values: { type: "double", values: [1.5, null] }, metric_type: "gauge" }],
          },
        },
      ],
    },
  ],
  query_summaries: [
    {
      id: "1",
      query: "SELECT 1",
      elapsed_ms: 7,
      io_summary: { read: { bytes: 720, rows: 90 }, written: { bytes: 0, rows: 0 } },
      profile_summary: {},
    },
  ],
};

describe("zonemeter explain", () => {
  let server: Server;
  let url: string;
  let asked: unknown = null;
  let answer: unknown = ANSWER;

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        asked = JSON.parse(body);
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(answer));
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => server.close());

  it("prints the plan with what is left to the store, then what was run", async () => {
    const { code, stdout } = await runZonemeter(["explain", "--url", url, TEXT]);
    expect(asked).toEqual({ query: TEXT, include_summaries: true });
    expect(stdout).toContain(
      "get zone_resource:cpu_nsec\n    where state == 'user' && timestamp > @2026-05-04 && timestamp <= @2026-05-05\n",
    );
    expect(stdout).toContain("    of each window of 1h only its first and last sample\n");
    expect(stdout).toMatch(
      /gauge double every 1h\nstatement 1: 7 ms, 90 rows, 720 bytes\n {4}SELECT 1\nanswered with 1 table, 2 points\n$/,
    );
    expect(code).toBe(0);
  });

  it("asks nobody about a query that does not plan, and tells of answers without statements", async () => {
    asked = null;
    const wrong = await runZonemeter(["explain", "--url", url, "get zone_resource:cpu_nsek | last 1"]);
    expect(wrong.stderr).toContain('There is no timeseries "zone_resource:cpu_nsek".');
    expect(wrong.code).not.toBe(0);
    expect(asked).toBe(null);
    answer = { ...ANSWER, query_summaries: null };
    const silent = await runZonemeter(["explain", "--url", url, TEXT]);
    expect(silent.stderr).toMatch(/does not say what it ran/);
    expect(silent.code).toBe(3);
  });
});
