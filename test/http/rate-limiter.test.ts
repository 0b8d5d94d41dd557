import { expect, it } from "vitest";
import { RATE_MAX_PRINCIPALS } from "../../src/core/index.ts";
import { RateLimiter } from "../../src/http/index.ts";
import { ManualClock } from "../support/manual-clock.ts";

const SECOND_NS = 1_000_000_000n;

it("lets two seconds' worth through at once, then the rate", () => {
  const clock = new ManualClock(0n);
  const limiter = new RateLimiter(5, clock);
  const take = (count: number): number[] => Array.from({ length: count }, () => limiter.take("a"));
  expect(take(11)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  clock.pass(SECOND_NS / 5n);
  expect(take(2)).toEqual([0, 1]);
  clock.pass(SECOND_NS);
  expect(take(6)).toEqual([0, 0, 0, 0, 0, 1]);
  clock.pass(1_000n * SECOND_NS);
  expect(take(11).filter((wait) => wait === 0)).toHaveLength(10);
});

it("does not take from one what another uses, nor follow a clock that was set", () => {
  const clock = new ManualClock(0n);
  const limiter = new RateLimiter(1, clock);
  expect([limiter.take("a"), limiter.take("a"), limiter.take("a"), limiter.take("b")]).toEqual([0, 0, 1, 0]);
  clock.step(3_600n * SECOND_NS);
  expect(limiter.take("a")).toBe(1);
});

it("does not forget who is over his rate when very many others come", () => {
  const clock = new ManualClock(0n);
  const limiter = new RateLimiter(1, clock);
  for (let i = 0; i < 3; i++) limiter.take("busy");
  for (let i = 0; i < RATE_MAX_PRINCIPALS + 10; i++) limiter.take(`one-off ${i}`);
  expect(limiter.take("busy")).toBe(1);
});
