import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RecordedFiles, type RecordedSubject } from "../../src/sources/index.ts";
import { Random } from "../support/random.ts";
import { recordZonestat } from "../support/zonestat-recording.ts";

it("gives one object for each subject over all files of a sled, and others for another sled", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zonemeter-recorded-"));
  try {
    const files = new RecordedFiles({});
    const subjects: RecordedSubject[] = [];
    for (const [sled, day] of [
      ["sled-07", "20250301"],
      ["sled-08", "20250301"],
      ["sled-07", "20250302"],
    ] as const) {
      mkdirSync(join(folder, sled), { recursive: true });
      const path = join(folder, sled, `zonestat-${day}`);
      writeFileSync(path, recordZonestat(["global", "z"], 3, 1_740_787_200, new Random(1)).text);
      const file = files.open(path);
      for (let instant = await file.next(); instant !== null; instant = file.take() ?? (await file.next())) {
        instant.give({
          row: (subject) => subjects.push(subject),
          reading: () => undefined,
          measured: () => undefined,
          end: () => undefined,
        });
      }
      await file.close();
    }
    expect(subjects).toHaveLength(3 * 3 * 3);
    expect(new Set(subjects).size).toBe(2 * 3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
