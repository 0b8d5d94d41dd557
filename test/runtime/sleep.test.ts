import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sleep } from "../../src/runtime/index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("waits longer than one timer can: a producer may ask for a collection once a month", async () => {
  const asked: number[] = [];
  const real = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
    asked.push(ms);
    return real(run, ms);
  }) as never);
  let over = false;
  void sleep(30 * 86_400_000).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(30 * 86_400_000 - 1);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(over).toBe(true);
  // Node makes 1 ms of what is above this.
  expect(Math.max(...asked)).toBeLessThan(2 ** 31);
});

it("ends when its signal fires, in the second timer too", async () => {
  const controller = new AbortController();
  let over = false;
  void sleep(30 * 86_400_000, controller.signal).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(29 * 86_400_000);
  controller.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect([over, vi.getTimerCount()]).toEqual([true, 0]);
});
