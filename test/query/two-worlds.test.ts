import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Catalogue } from "../../src/core/index.ts";
import { send, serveCustomers, type CustomerApi } from "../support/customer-api.ts";
import { hostileRequest } from "../support/hostile-requests.ts";
import { Random } from "../support/random.ts";
import { BOTH, VISIBLE } from "../support/two-worlds.ts";

/** ZONEMETER_WORLDS_RUNS sets how many requests are sent, ZONEMETER_WORLDS_SEED which. */
const RUNS = Number(process.env["ZONEMETER_WORLDS_RUNS"] ?? 2_000);
const SEED = Number(process.env["ZONEMETER_WORLDS_SEED"] ?? Date.now() % 1_000_000);

let withHidden: CustomerApi;
let without: CustomerApi;
beforeAll(async () => {
  withHidden = await serveCustomers(BOTH, BOTH);
  without = await serveCustomers(new Catalogue(VISIBLE), VISIBLE);
});
afterAll(async () => {
  await Promise.all([withHidden, without].map(({ listener }) => listener.close(0)));
});

it(
  `a customer cannot tell a world with operator-only timeseries from one without (seed ${SEED}, ${RUNS} requests)`,
  async () => {
    const random = new Random(SEED);
    const statuses = new Map<number, number>();
    let storeCalls = 0;
    for (let run = 0; run < RUNS; run++) {
      const request = hostileRequest(random);
      const [a, b] = await Promise.all([send(withHidden, request), send(without, request)]);
      const [callsA, callsB] = [withHidden, without].map(({ data }) => data.requests.splice(0));
      const told = `run ${run}: ${JSON.stringify(request)}`;
      if (!isDeepStrictEqual(a, b)) expect(a, told).toEqual(b);
      // The number of calls, what each asks for, and in which order.
      if (!isDeepStrictEqual(callsA, callsB)) expect(callsA, told).toEqual(callsB);
      for (const { schema } of callsA!) expect(schema.visibility, told).toBe("customer");
      statuses.set(a.status, (statuses.get(a.status) ?? 0) + 1);
      storeCalls += callsA!.length;
    }
    // What was sent reached every kind of answer, and the store often enough to prove something.
    for (const status of [200, 400, 401, 403, 404, 405]) expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(0);
    expect(statuses.get(200)! / RUNS).toBeGreaterThan(0.15);
    expect(storeCalls).toBeGreaterThan(RUNS / 10);
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
    const errors = [...withHidden.lines, ...without.lines].filter(({ level }) => level === "error" || level === "warn");
    expect(errors).toEqual([]);
  },
  60_000 + RUNS * 20,
);
