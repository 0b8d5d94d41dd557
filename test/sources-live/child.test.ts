import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHILD_STDERR_MAX_BYTES, ZonemeterError } from "../../src/core/index.ts";
import { describeEnd, runChild, type ChildResult, type ChildSpec } from "../../src/sources/child.ts";
import { LongRunningChild, type ChildRun } from "../../src/sources/long-running-child.ts";
import { recordingLogger } from "../support/logs.ts";
import { openDescriptors, processExists, zombieChildren } from "../support/open-descriptors.ts";
import { until } from "../support/until.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-child-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs a shell script with limits that only bite where a test wants them to. */
function sh(script: string, more: Partial<ChildSpec> = {}): Promise<ChildResult> {
  return runChild({ command: "sh", args: ["-c", script], deadlineMs: 20_000, maxStdoutBytes: 1_000_000, ...more });
}

async function gone(pid: number): Promise<void> {
  await until(`the end of process ${pid}`, 5_000, async () => (processExists(pid) ? undefined : true));
}

/** The error of a run, and the process ids it wrote to a file of its own before. */
async function failing(script: string, more: Partial<ChildSpec>): Promise<{ error: ZonemeterError; pids: number[] }> {
  const file = join(folder, `pids-${Math.random()}`);
  const error = await sh(script.replaceAll("$PIDS", file), more).then(
    () => Promise.reject(new Error("it did not fail")),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ZonemeterError);
  return { error: error as ZonemeterError, pids: (await readFile(file, "utf8")).trim().split("\n").map(Number) };
}

describe("runChild", () => {
  it("gives output and errors apart, and the exit status whatever it is", async () => {
    const result = await sh('echo out; echo "  went wrong" >&2; printf "%s" "$LC_ALL"; exit 3');
    expect(result).toEqual({ exitCode: 3, signal: null, stdout: Buffer.from("out\nC"), stderr: "went wrong" });
    expect(describeEnd(result)).toBe("with status 3");
  });

  it("tells a signal from a status", async () => {
    const result = await sh("kill -9 $$");
    expect(result).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    expect(describeEnd(result)).toBe("by SIGKILL");
  });

  it("has no stdin", async () => {
    expect((await sh("cat; echo end")).stdout.toString()).toBe("end\n");
  });

  it("reads all of a large output", async () => {
    const { stdout } = await sh(
      "i=0; while [ $i -lt 2000 ]; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; i=$((i+1)); done",
    );
    expect(stdout.length).toBe(2000 * 100);
  });

  it("gives output as it comes where it is asked to, and does not keep it", async () => {
    const chunks: Buffer[] = [];
    const { stdout } = await sh("echo one; echo two", { onStdout: (chunk) => chunks.push(chunk) });
    expect(Buffer.concat(chunks).toString()).toBe("one\ntwo\n");
    expect(stdout).toHaveLength(0);
  });

  it("names a command that is not there, or may not be run", async () => {
    const missing = runChild({ command: "zonemeter-no-such-tool", args: [], deadlineMs: 1_000, maxStdoutBytes: 1 });
    await expect(missing).rejects.toMatchObject({
      code: "unavailable",
      message: "zonemeter-no-such-tool was not found; install it, add it to PATH, or choose another source.",
    });
    const plain = join(folder, "plain");
    await writeFile(plain, "#!/bin/sh\n");
    await chmod(plain, 0o644);
    await expect(runChild({ command: plain, args: [], deadlineMs: 1_000, maxStdoutBytes: 1 })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("may not be run"),
    });
  });

  it("ends a child that hangs, though it ignores SIGTERM, and all that it forked", async () => {
    const { error, pids } = await failing(
      'trap "" TERM; (trap "" TERM; sleep 1000) & echo $! > $PIDS; echo $$ >> $PIDS; while :; do sleep 1000; done',
      { deadlineMs: 300 },
    );
    expect(error).toMatchObject({ code: "unavailable", message: "sh did not finish within 300 ms and was stopped." });
    expect(pids).toHaveLength(2);
    for (const pid of pids) await gone(pid);
  });

  it("does not wait for what a child left behind with its pipes open, and ends that too", async () => {
    const { stdout, exitCode } = await sh("sleep 1000 & echo $!; echo done");
    const [pid, done] = stdout.toString().split("\n");
    expect({ exitCode, done }).toEqual({ exitCode: 0, done: "done" });
    await gone(Number(pid));
  });

  it("ends a child that floods stdout", async () => {
    const { error, pids } = await failing("echo $$ > $PIDS; while :; do echo flood; done", { maxStdoutBytes: 10_000 });
    expect(error).toMatchObject({ code: "limit", message: "sh printed more than 10000 bytes and was stopped." });
    await gone(pids[0]!);
  });

  it("reads on, and keeps the first part, where a child floods stderr", async () => {
    const { stdout, stderr } = await sh("echo first >&2; i=0; while [ $i -lt 5000 ]; do echo 0123456789 >&2; i=$((i+1)); done; echo whole");
    expect(stdout.toString()).toBe("whole\n");
    expect(stderr.startsWith("first\n")).toBe(true);
    expect(stderr.length).toBeLessThanOrEqual(CHILD_STDERR_MAX_BYTES);
  });

  it("stops when it is told to, before the start and after", async () => {
    await expect(sh("echo never", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "unavailable",
      message: "sh was stopped before it had finished.",
    });
    const controller = new AbortController();
    const file = join(folder, "started");
    const running = sh(`echo $$ > ${file}; sleep 1000`, { signal: controller.signal });
    const pid = await until("the start", 5_000, () =>
      readFile(file, "utf8").then(
        (text) => (text.endsWith("\n") ? Number(text) : undefined),
        () => undefined,
      ),
    );
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "unavailable" });
    await gone(pid);
  });

  it("leaves no descriptor and no dead child behind", async () => {
    await sh("true");
    const before = openDescriptors();
    for (let i = 0; i < 30; i++) {
      await Promise.allSettled([
        sh("echo fine"),
        sh("exit 4"),
        sh("kill -9 $$"),
        sh("yes", { maxStdoutBytes: 100 }),
        sh("sleep 1000", { deadlineMs: 20 }),
        sh("true", { signal: AbortSignal.abort() }),
        runChild({ command: "zonemeter-no-such-tool", args: [], deadlineMs: 1_000, maxStdoutBytes: 1 }),
      ]);
    }
    expect(openDescriptors()).toBe(before);
    expect(zombieChildren()).toEqual([]);
  });
});

describe("LongRunningChild", () => {
  const FAST = { firstMs: 1, factor: 1, capMs: 1, spread: 0 };

  function keep(
    script: string,
    more: { silenceMs?: number; onChunk?: (text: string) => void; end?: ChildRun["end"]; command?: string } = {},
  ): LongRunningChild {
    return new LongRunningChild({
      command: more.command ?? "sh",
      plan: () => ({ args: ["-c", script], silenceMs: more.silenceMs ?? 20_000 }),
      logger: recordingLogger().logger,
      backoff: FAST,
      startRun: () => ({ chunk: (bytes) => more.onChunk?.(bytes.toString()), end: more.end ?? (() => null) }),
    });
  }

  it("starts again whenever the command ends, and tells each end", async () => {
    const ends: unknown[] = [];
    const child = keep("echo line; echo why >&2; exit 7", {
      end: ({ exitCode }, stderr) => {
        ends.push([exitCode, stderr]);
        return null;
      },
    });
    await until("three ends", 10_000, async () => (ends.length >= 3 ? true : undefined));
    expect(ends.slice(0, 3)).toEqual([
      [7, "why"],
      [7, "why"],
      [7, "why"],
    ]);
    expect(child.failure).toMatchObject({ code: "unavailable", message: "sh ended with status 7: why." });
    await child.close();
    expect(ends.length).toBe(child.starts);
  });

  it("says what is wrong where the command is not there", async () => {
    const child = keep("", { command: "zonemeter-no-such-tool" });
    await child.firstStart;
    expect(child.failure?.message).toContain("zonemeter-no-such-tool was not found");
    expect(child.starts).toBe(0);
    await child.close();
  });

  it("takes silence for a hang", async () => {
    const pids = new Set<number>();
    const child = keep("echo $$; sleep 1000", { silenceMs: 100, onChunk: (text) => pids.add(Number(text)) });
    const [first] = await until("a second run", 10_000, async () => (pids.size >= 2 ? [...pids] : undefined));
    await gone(first!);
    expect(child.failure).toMatchObject({ code: "unavailable", message: "sh printed nothing for 100 ms and was stopped." });
    await child.close();
    for (const pid of pids) await gone(pid);
  });

  it("lets a command run on that prints now and then", async () => {
    let text = "";
    const child = keep("i=0; while [ $i -lt 25 ]; do echo $i; i=$((i+1)); sleep 0.1; done; echo end; sleep 1000", {
      silenceMs: 1_500,
      onChunk: (chunk) => (text += chunk),
    });
    await until("its last line", 20_000, async () => (text.includes("end") ? true : undefined));
    expect(child.starts).toBe(1);
    await child.close();
  });

  it("forgets the failure once the taker is content", async () => {
    let runs = 0;
    const child: LongRunningChild = keep("echo ok; sleep 1000", { onChunk: () => (runs += 1), silenceMs: 200 });
    await until("a failure", 10_000, async () => child.failure ?? undefined);
    child.healthy();
    expect(child.failure).toBeNull();
    await child.close();
    expect(runs).toBeGreaterThan(0);
  });

  it("is gone with everything it forked after close", async () => {
    const before = openDescriptors();
    const pids: number[] = [];
    const child = keep('trap "" TERM; (trap "" TERM; sleep 1000) & echo $!; echo $$; while :; do sleep 1; done', {
      onChunk: (text) => pids.push(...text.trim().split("\n").map(Number)),
    });
    await until("both process ids", 10_000, async () => (pids.length === 2 ? true : undefined));
    await child.close();
    for (const pid of pids) await gone(pid);
    expect(openDescriptors()).toBe(before);
    expect(zombieChildren()).toEqual([]);
  });
});
