import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { IDENTITY_FORGET_AFTER_NS, IDENTITY_MAX_ENTRIES } from "../../src/core/index.ts";
import { openIdentityBook, SLED_SUBJECT, type IdentityBook } from "../../src/sources/identity.ts";
import { ManualClock } from "../support/manual-clock.ts";

const S = 1_000_000_000n;
const NOW = 1_800_000_000n * S;
const UPTIME = 5_000n * S;

let folder: string;
let clock: ManualClock;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-identity-"));
  clock = new ManualClock(NOW, UPTIME);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const open = (): Promise<IdentityBook> => openIdentityBook({ stateDir: folder, clock });

interface Seen {
  readonly stampNs: bigint;
  readonly startTimeNs: bigint;
}

/** One sample of one zone, as a source takes it. */
function see(
  book: IdentityBook,
  subjectKey: string,
  incarnation: string,
  more: { bootTimeNs?: bigint; createdMonotonicNs?: bigint } = {},
): Seen {
  const stampNs = book.stampFor(subjectKey, "kstat", clock.wallNs());
  const { bootTimeNs = null, createdMonotonicNs = null } = more;
  return { stampNs, startTimeNs: book.startTimeOf({ subjectKey, incarnation, bootTimeNs, createdMonotonicNs, timestampNs: stampNs }) };
}

describe("start times", () => {
  it("are the kernel's boot time, and stay what they were first even where the kernel changes its mind", async () => {
    const book = await open();
    expect(see(book, "db", "1", { bootTimeNs: NOW - 100n * S }).startTimeNs).toBe(NOW - 100n * S);
    clock.pass(10n * S);
    expect(see(book, "db", "1", { bootTimeNs: NOW - 99n * S }).startTimeNs).toBe(NOW - 100n * S);
    await book.save();
    const again = await open();
    clock.pass(10n * S);
    expect(see(again, "db", "1", { bootTimeNs: NOW - 98n * S }).startTimeNs).toBe(NOW - 100n * S);
  });

  it.each([
    ["of 1986", 520_000_000n * S],
    ["in the future", NOW + 1n],
    ["of this very instant", NOW],
  ])("come from the monotonic clock where the boot time is %s", async (_what, bootTimeNs) => {
    const book = await open();
    const first = see(book, "ntp", "1", { bootTimeNs, createdMonotonicNs: UPTIME - 300n * S });
    expect(first.startTimeNs).toBe(NOW - 300n * S);
    clock.pass(10n * S);
    clock.step(77n * S);
    expect(see(book, "ntp", "1", { bootTimeNs, createdMonotonicNs: UPTIME - 300n * S }).startTimeNs).toBe(first.startTimeNs);
  });

  it("are just before the first sample where nothing tells", async () => {
    const book = await open();
    const { startTimeNs, stampNs } = see(book, "/x", "1");
    expect(startTimeNs).toBe(stampNs - 1n);
    expect(see(book, "/y", "1", { createdMonotonicNs: UPTIME + 5n * S }).startTimeNs).toBe(NOW - 1n);
  });

  it("of a new incarnation are later than the last stamp of the old one, whatever the kernel says", async () => {
    const book = await open();
    see(book, "db", "1", { bootTimeNs: NOW - 100n * S });
    clock.pass(10n * S);
    const last = see(book, "db", "1");
    clock.pass(10n * S);
    const next = see(book, "db", "2", { bootTimeNs: last.stampNs - 3n * S });
    expect(next.startTimeNs).toBe(last.stampNs + 1n);
    expect(next.startTimeNs).toBeLessThan(next.stampNs);
    expect(book.current("db")).toMatchObject({ incarnation: "2", startTimeNs: next.startTimeNs });
  });

  it("know which incarnations an earlier run reported", async () => {
    const book = await open();
    see(book, "a", "1");
    expect(book.isFromEarlierRun("a", "1")).toBe(false);
    await book.close();
    const again = await open();
    expect(again.isFromEarlierRun("a", "1")).toBe(true);
    expect(again.isFromEarlierRun("a", "2")).toBe(false);
    expect(again.isFromEarlierRun("b", "1")).toBe(false);
  });
});

describe("stamps", () => {
  it("are wall time while the wall clock goes forward", async () => {
    const book = await open();
    for (let i = 0; i < 5; i++) {
      expect(see(book, "a", "1").stampNs).toBe(clock.wallNs());
      clock.pass(10n * S);
      clock.step(3n * S);
    }
  });

  it("go on where they were when the wall clock is stepped back, and lose a sixteenth until they meet it", async () => {
    const book = await open();
    const before = see(book, "a", "1").stampNs;
    clock.step(-60n * S);
    clock.pass(16n * S);
    expect(see(book, "a", "1").stampNs).toBe(before + 15n * S);
    expect(await book.save()).toEqual([expect.objectContaining({ code: "stamps-ahead", text: expect.stringContaining("59000 ms") })]);
    clock.pass(16n * 30n * S);
    expect(see(book, "a", "1").stampNs - clock.wallNs()).toBe(29n * S);
    clock.pass(16n * 29n * S);
    expect(see(book, "a", "1").stampNs).toBe(clock.wallNs());
    expect(await book.save()).toEqual([]);
  });

  it("end their lead when the wall clock is stepped forward", async () => {
    const book = await open();
    see(book, "a", "1");
    clock.step(-60n * S);
    clock.pass(S);
    see(book, "a", "1");
    clock.step(70n * S);
    clock.pass(S);
    expect(see(book, "a", "1").stampNs).toBe(clock.wallNs());
  });

  it("have no lead over a clock that was wrong before the first of them", async () => {
    clock.step(400n * 86_400n * S);
    const book = await open();
    clock.step(-400n * 86_400n * S);
    clock.pass(S);
    expect(see(book, "a", "1").stampNs).toBe(clock.wallNs());
  });

  it("have no lead over a clock that was wrong in a run that gave out none", async () => {
    clock.step(400n * 86_400n * S);
    await open();
    clock.step(-400n * 86_400n * S);
    clock.pass(S);
    expect(see(await open(), "a", "1").stampNs).toBe(clock.wallNs());
  });

  it("of one source do not hold back another's, which may be older", async () => {
    const book = await open();
    expect(book.stampFor("a", "kstat", NOW)).toBe(NOW);
    expect(book.stampFor("a", "zonestat", NOW - 9n * S)).toBe(NOW - 9n * S);
    expect(book.stampFor("a", "zonestat", NOW - 9n * S)).toBeGreaterThan(NOW - 9n * S);
  });

  it.each(["closed", "killed"])("are later than all before when the clock was stepped back while the agent was %s", async (end) => {
    const book = await open();
    const before = see(book, "a", "1");
    await book.save();
    clock.pass(20n * S);
    const last = see(book, "a", "1");
    await book.save();
    if (end === "closed") await book.close();
    clock.step(-3_600n * S);
    clock.pass(2n * S);
    const again = await open();
    const first = see(again, "a", "1");
    expect(first.stampNs).toBeGreaterThan(last.stampNs);
    expect(first.startTimeNs).toBe(before.startTimeNs);
    const reborn = see(again, "a", "2", { bootTimeNs: clock.wallNs() - S });
    expect(reborn.startTimeNs).toBeGreaterThan(last.stampNs);
    expect(reborn.startTimeNs).toBeLessThan(reborn.stampNs);
  });

  it("are later than all before when the clock was stepped forward and back before a kill", async () => {
    const book = await open();
    see(book, "a", "1");
    await book.save();
    clock.pass(2n * S);
    clock.step(30n * S);
    const { stampNs } = see(book, "a", "1");
    await book.save();
    clock.step(-30n * S);
    clock.pass(2n * S);
    expect(see(await open(), "a", "1").stampNs).toBeGreaterThan(stampNs);
  });

  it("are wall time again soon after a kill without a step", async () => {
    const book = await open();
    see(book, "a", "1");
    await book.save();
    clock.pass(5n * S);
    const again = await open();
    expect(see(again, "a", "1").stampNs - clock.wallNs()).toBeLessThanOrEqual(100_001_000n);
    clock.pass(2n * S);
    expect(see(again, "a", "1").stampNs).toBe(clock.wallNs());
  });

  it("never fall, start times never change and incarnations never overlap, whatever clocks, zones and kills do", async () => {
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          do: fc.constant("see" as const),
          zone: fc.integer({ min: 0, max: 2 }),
          boot: fc.integer({ min: -50, max: 5 }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("reboot" as const), zone: fc.integer({ min: 0, max: 2 }) }) },
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant("step" as const),
          seconds: fc.oneof(fc.integer({ min: -400, max: 400 }), fc.integer({ min: -70, max: 70 })),
        }),
      },
      { weight: 2, arbitrary: fc.constant({ do: "kill" as const }) },
      { weight: 1, arbitrary: fc.constant({ do: "close" as const }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        await rm(folder, { recursive: true, force: true });
        clock = new ManualClock(NOW, UPTIME);
        let book = await open();
        const generation = [0, 0, 0];
        const starts = new Map<string, bigint>();
        const lastStamp = new Map<number, bigint>();
        for (const each of steps) {
          clock.pass(3n * S);
          if (each.do === "reboot") generation[each.zone]! += 1;
          if (each.do === "step") clock.step(BigInt(each.seconds) * S);
          if (each.do === "close") await book.close();
          if (each.do === "close" || each.do === "kill") book = await open();
          if (each.do !== "see") continue;
          const incarnation = `${each.zone}/${generation[each.zone]}`;
          const { stampNs, startTimeNs } = see(book, `zone${each.zone}`, incarnation, {
            bootTimeNs: clock.wallNs() + BigInt(each.boot) * S,
          });
          const saved = await book.save();
          expect(saved.filter(({ code }) => code !== "stamps-ahead")).toEqual([]);
          const before = lastStamp.get(each.zone);
          if (before !== undefined) expect(stampNs).toBeGreaterThan(before);
          const known = starts.get(incarnation);
          if (known !== undefined) expect(startTimeNs).toBe(known);
          else if (before !== undefined) expect(startTimeNs).toBeGreaterThan(before);
          expect(startTimeNs).toBeLessThan(stampNs);
          starts.set(incarnation, startTimeNs);
          lastStamp.set(each.zone, stampNs);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("the file", () => {
  it.each([
    ["cut short", '{"format":1,"ceilingNs":"18000'],
    ["empty", ""],
    ["of another format", '{"format":2,"zones":[]}'],
    ["with a number in place of an integer text", '{"format":1,"ceilingNs":5,"wallNs":"1","monotonicNs":"1","aheadNs":"0","zones":[]}'],
    ["with a zone without a name", '{"format":1,"ceilingNs":"5","wallNs":"1","monotonicNs":"1","aheadNs":"0","zones":[[1,"a","2","3"]]}'],
    ["without zones", '{"format":1}'],
    ["that is null", "null"],
  ])("%s is set aside with one sentence, and the book begins anew", async (_what, text) => {
    const path = join(folder, "start-times.json");
    await writeFile(path, text);
    const book = await open();
    expect(book.diagnostics).toEqual([{ code: "identity-file-damaged", text: expect.stringContaining(path), line: null }]);
    expect(await readFile(`${path}.damaged`, "utf8")).toBe(text);
    see(book, "a", "1", { bootTimeNs: NOW - S });
    expect(await book.save()).toEqual([]);
    expect((await open()).current("a")?.startTimeNs).toBe(NOW - S);
  });

  it("is whole when a kill left half of the next one behind", async () => {
    const book = await open();
    const { startTimeNs } = see(book, "a", "1");
    await book.save();
    await writeFile(join(folder, "start-times.json.new"), '{"format":1,"ceil');
    const again = await open();
    expect(again.diagnostics).toEqual([]);
    expect(see(again, "a", "1").startTimeNs).toBe(startTimeNs);
    expect(await readdir(folder)).toEqual(["start-times.json"]);
  });

  it("is not written for every sample", async () => {
    const book = await open();
    see(book, "a", "1");
    await book.save();
    const written = await readFile(join(folder, "start-times.json"), "utf8");
    let writes = 0;
    for (let i = 0; i < 60; i++) {
      clock.pass(10n * S);
      see(book, "a", "1");
      await book.save();
      const now = await readFile(join(folder, "start-times.json"), "utf8");
      if (now !== written) writes += 1;
      if (now !== written) await writeFile(join(folder, "start-times.json"), written);
    }
    // 600 s with leave for 60 s each.
    expect(writes).toBeGreaterThan(0);
    expect(writes).toBeLessThanOrEqual(10);
  });

  it("that cannot be kept makes the source unavailable, naming the directory", async () => {
    const file = join(folder, "plain");
    await writeFile(file, "");
    const stateDir = join(file, "state");
    await expect(openIdentityBook({ stateDir, clock })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(stateDir),
    });
  });

  it("that can no longer be written is told with each save and made good later", async () => {
    const book = await open();
    await rm(folder, { recursive: true });
    await writeFile(folder, "in the way");
    const { startTimeNs } = see(book, "a", "1");
    expect(await book.save()).toEqual([expect.objectContaining({ code: "identity-not-saved" })]);
    expect(await book.save()).toEqual([expect.objectContaining({ code: "identity-not-saved" })]);
    await rm(folder);
    await mkdir(folder);
    expect(await book.save()).toEqual([]);
    expect((await open()).current("a")?.startTimeNs).toBe(startTimeNs);
  });

  it("forgets zones that are long gone, and no others", async () => {
    const book = await open();
    see(book, "gone", "1");
    see(book, "alive", "1");
    clock.pass(IDENTITY_FORGET_AFTER_NS + S);
    see(book, "alive", "1");
    await book.close();
    expect(book.current("gone")).toBeNull();
    const again = await open();
    expect(again.current("gone")).toBeNull();
    expect(again.current("alive")).not.toBeNull();
  });

  it("keeps at most its number of zones, those seen last", async () => {
    const book = await open();
    for (let i = 0; i < IDENTITY_MAX_ENTRIES + 5; i++) {
      if (i === 5) clock.pass(S);
      see(book, `/g${i}`, "1");
    }
    await book.close();
    expect(book.current("/g4")).toBeNull();
    expect(book.current("/g5")).not.toBeNull();
    expect(book.current(`/g${IDENTITY_MAX_ENTRIES + 4}`)).not.toBeNull();
  });

  it("is not there for a book without a directory", async () => {
    const book = await openIdentityBook({ stateDir: null, clock });
    expect(see(book, SLED_SUBJECT, "boot").startTimeNs).toBe(NOW - 1n);
    expect(await book.save()).toEqual([]);
    await book.close();
    expect(await readdir(folder)).toEqual([]);
  });
});
