import { expect, it } from "vitest";
import { Catalogue, ZonemeterError, type Principal } from "../../src/core/index.ts";
import type { OxqlData } from "../../src/oxql/index.ts";
import { QueryService } from "../../src/query/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { gate } from "../support/gate.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PEOPLE } from "../support/people.ts";
import { BOTH, NOW_NS } from "../support/two-worlds.ts";

const TEXT = "get machine:load | last 1";

function serviceOver(select: OxqlData["select"]) {
  const service = new QueryService({
    audience: "operator",
    catalogue: new Catalogue([...BOTH]),
    store: { select },
    clock: new ManualClock(NOW_NS),
    logger: silentLogger,
  });
  return (principal: Principal) =>
    service.run({ text: TEXT, principal, project: null, requestId: "r", signal: new AbortController().signal }).then(
      () => "answered",
      (error: unknown) => error,
    );
}

it("queries beyond what one principal, or all together, may run at once are told which limit that is", async () => {
  const leave = gate();
  const ask = serviceOver(async () => {
    await leave.opened;
    return { series: [], statements: [] };
  });
  const other: Principal = { name: "other", kind: "operator" };
  const running = Array.from({ length: 16 }, () => ask(PEOPLE.operator));
  expect(await ask(PEOPLE.operator)).toMatchObject({
    code: "unavailable",
    kind: "too_many",
    message: "16 queries of one principal are running already, the most at once: ask again when one has ended.",
  });
  running.push(...Array.from({ length: 16 }, () => ask(other)));
  expect(await ask(PEOPLE.fleet)).toMatchObject({
    kind: "too_many",
    message: "32 queries are running already, the most at once: ask again when one has ended.",
  });
  leave.open();
  expect(new Set(await Promise.all(running))).toEqual(new Set(["answered"]));
  expect(await ask(PEOPLE.fleet)).toBe("answered");
});

it("a query that the store did not finish in time is told how long one may take, and nothing of the store", async () => {
  const ask = serviceOver(async () => {
    throw new ZonemeterError("unavailable", "data directory /secret was slow", { kind: "deadline" });
  });
  expect(await ask(PEOPLE.operator)).toMatchObject({
    code: "unavailable",
    kind: "too_long",
    message: "The query did not finish within 30 s, the most that one may take: ask for a shorter time or fewer timeseries.",
  });
});
