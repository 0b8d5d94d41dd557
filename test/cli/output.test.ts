import { closeSync, existsSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freePortBase } from "../support/free-port-base.ts";
import { until } from "../support/until.ts";
import { ZonemeterProcess } from "../support/zonemeter-process.ts";

const FULL = "/dev/full";

/** A command whose output goes to a disk that is full. */
function onFullDisk(args: readonly string[], env: Record<string, string> = {}): ZonemeterProcess {
  const descriptor = openSync(FULL, "w");
  try {
    return new ZonemeterProcess(args, env, descriptor);
  } finally {
    closeSync(descriptor);
  }
}

describe.skipIf(!existsSync(FULL))("output that cannot be written", () => {
  it.each([[["config", "check"]], [["schema", "list"]], [["query", "--help"]], [["--version"]]])("%j says so, with 1", async (args) => {
    const done = await onFullDisk(args).finished;
    expect(done.stderr).toBe("zonemeter: The output cannot be written: ENOSPC: no space left on device, write.\n");
    expect(done.code).toBe(1);
  });

  it("does not end a service, nor spoil its end", async () => {
    const folder = await mkdtemp(join(tmpdir(), "zonemeter-output-"));
    const base = await freePortBase();
    const up = onFullDisk(["up", "--data-dir", join(folder, "data"), "--port-base", String(base)]);
    try {
      await until("ready", 45_000, async () => {
        const answer = await fetch(`http://127.0.0.1:${base + 60}/readyz`).catch(() => null);
        return answer?.status === 200 && up.stderr.includes("a line could not be written to stdout") ? true : undefined;
      });
    } finally {
      up.kill("SIGTERM");
    }
    expect((await up.finished).code).toBe(0);
    await rm(folder, { recursive: true, force: true });
  });
});

describe("a reader that has gone", () => {
  it.each([[["config", "check"]], [["schema", "list"]], [["--help"]]])("ends %j without a word, as SIGPIPE would", async (args) => {
    const command = new ZonemeterProcess(args);
    command.child.stdout!.destroy();
    const done = await command.finished;
    expect(done.stderr).toBe("");
    expect(done.code).toBe(141);
  });

  it("ends a command that would go on writing", async () => {
    const sample = new ZonemeterProcess(["sample", "--source", "cgroup", "--count", "1000000", "--sample-interval", "100ms"]);
    await sample.line("{");
    sample.child.stdout!.destroy();
    const done = await sample.finished;
    expect(done.stderr).toBe("");
    expect(done.code).toBe(141);
  });
});
