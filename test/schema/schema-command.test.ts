import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { schemaCommand } from "../../src/cli/schema.ts";
import { ZonemeterError } from "../../src/core/index.ts";
import { loadCatalogue } from "../../src/schema/index.ts";
import { KETTLE_TOML, kettleWith } from "../support/kettle-schema.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "schema-command-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const file = (name: string): string => join(dir, name);
const write = (name: string, text: string | Uint8Array): void => writeFileSync(file(name), text);

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `zonemeter schema …` as the executable does, up to what it does with an error. */
async function schema(...args: readonly string[]): Promise<Outcome> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let code = 0;
  const program = new Command("zonemeter").exitOverride().configureOutput({ outputError: () => undefined });
  schemaCommand.define(program, async (action) => {
    code = await action({ stdout, stderr, env: {}, signal: new AbortController().signal });
  });
  try {
    await program.parseAsync(["schema", ...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof ZonemeterError)) throw error;
    code = error.exitCode;
    stderr.write(error.message);
  }
  const textOf = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, stdout: textOf(stdout), stderr: textOf(stderr) };
}

const quiet: Outcome = { code: 0, stdout: "", stderr: "" };

describe("schema check", () => {
  test("the product's own files, lock and table are in order", async () => {
    expect(await schema("check")).toEqual(quiet);
  });

  test("prints each finding with its place and ends with 1; files are named as they were given", async () => {
    write("a.toml", kettleWith(['units = "count"', 'units = "litres"']));
    write("b.toml", kettleWith(['"A kettle"', '""'], ["kettle", "pot"]));
    write("notes.txt", "not looked at");
    const expected =
      `${file("a.toml")}:13:9: unknown-value: "litres" is none of none, count, bytes, seconds, nanoseconds, volts, amps, watts, degrees_celsius, rpm, joules\n` +
      `${file("b.toml")}:5:15: target-description-empty: the target's description is empty\n`;
    const stderr = "zonemeter: 2 errors in the schema files; correct what the lines on stdout name.\n";
    expect(await schema("check", dir)).toEqual({ code: 1, stdout: expected, stderr });
    expect(await schema("check", file("b.toml"), file("a.toml"))).toEqual({ code: 1, stdout: expected, stderr });
  });

  test("a warning alone is printed and ends with 0", async () => {
    write("upstreams.toml", kettleWith(['visibility = "operator_only"\n', ""]));
    const outcome = await schema("check", dir);
    expect(outcome).toEqual({ code: 0, stdout: expect.stringMatching(/:3:1: visibility-missing: warning: /) as string, stderr: "" });
  });

  test("one timeseries in two of the files is an error", async () => {
    write("a.toml", KETTLE_TOML);
    write("b.toml", KETTLE_TOML);
    expect(await schema("check", file("a.toml"))).toEqual(quiet);
    expect((await schema("check", dir)).stdout).toBe(
      `${file("b.toml")}:11:8: timeseries-duplicate: kettle:boils is defined in ${file("a.toml")} already\n`,
    );
    expect((await schema("check", file("a.toml"), file("a.toml"))).code).toBe(0);
  });

  test("a file named in two ways is one file", async () => {
    write("a.toml", KETTLE_TOML);
    symlinkSync("a.toml", file("same.toml"));
    expect(await schema("check", file("a.toml"), `${dir}/./a.toml`, file("same.toml"), dir)).toEqual(quiet);
  });

  test("for a GitHub workflow, with what its commands need escaped", async () => {
    write("100%,a:b.toml", kettleWith(['"A kettle"', '""'], ['visibility = "operator_only"\n', ""]));
    const place = file("100%25%2Ca%3Ab.toml");
    expect((await schema("check", dir, "--format", "github")).stdout).toBe(
      `::warning file=${place},line=3,col=1,title=visibility-missing::the target does not say who may see it and is hidden: add visibility = "operator_only" or "customer"\n` +
        `::warning file=${place},line=5,col=15,title=target-description-empty::the target's description is empty\n`,
    );
  });

  test("checks a visibility table among the files", async () => {
    write("visibility.toml", 'format_version = 1\n[timeseries]\n"a:*" = "customer"\n');
    expect((await schema("check", dir)).stdout).toMatch(/visibility\.toml:3:1: visibility-table-name: /);
  });

  test("a file that is not UTF-8 is a finding", async () => {
    write("a.toml", Uint8Array.of(0x61, 0xff, 0x0a));
    expect((await schema("check", dir)).stdout).toBe(`${file("a.toml")}:1:1: toml-syntax: not TOML: the file is not UTF-8\n`);
  });

  test("a path that cannot be read is a usage error, one sentence", async () => {
    expect(await schema("check", file("nothing"))).toEqual({
      code: 2,
      stdout: "",
      stderr: `Schema path "${file("nothing")}" does not exist; name an existing file or folder.`,
    });
    expect(await schema("check", dir)).toEqual({
      code: 2,
      stdout: "",
      stderr: `Folder "${dir}" holds no .toml file; name a folder or file that does.`,
    });
    mkdirSync(file("a.toml"));
    expect((await schema("check", dir)).stderr).toMatch(
      /^Schema path ".*a\.toml" cannot be read \(.*\); name an existing file or folder\.$/,
    );
  });

  test("a pipe is refused, not waited for", async () => {
    execFileSync("mkfifo", [file("a.toml")]);
    const outcome = {
      code: 2,
      stdout: "",
      stderr: `Schema path "${file("a.toml")}" cannot be read (it is not a regular file); name an existing file or folder.`,
    };
    expect(await schema("check", file("a.toml"))).toEqual(outcome);
    expect(await schema("check", dir)).toEqual(outcome);
  });

  test("a file that is far too long is not read", async () => {
    write("a.toml", "#".repeat(1024 * 1024 + 1));
    expect(await schema("check", dir)).toEqual({
      code: 1,
      stdout: "",
      stderr: `Schema file "${file("a.toml")}" has 1048577 bytes; at most 1048576 are read. Split it.`,
    });
  });
});

describe("schema lock", () => {
  test("writes the lock file, and again only what is new", async () => {
    write("kettle.toml", KETTLE_TOML);
    expect((await schema("lock", "--check", "--dir", dir)).code).toBe(1);
    expect(readdirSync(dir)).toEqual(["kettle.toml"]);
    expect(await schema("lock", "--dir", dir)).toEqual({ code: 0, stdout: `${file("lock.json")}: 1 timeseries\n`, stderr: "" });
    expect(await schema("lock", "--check", "--dir", dir)).toEqual(quiet);
    const first = readFileSync(file("lock.json"), "utf8");

    write("cup.toml", kettleWith(["kettle", "cup"]));
    expect((await schema("lock", "--check", "--dir", dir)).stdout).toMatch(
      /cup\.toml:11:8: lock-missing: the lock file does not hold cup:boils as it is/,
    );
    expect((await schema("lock", "--dir", dir)).stdout).toBe(`${file("lock.json")}: 2 timeseries\n`);
    const second = JSON.parse(readFileSync(file("lock.json"), "utf8")) as { timeseries: Record<string, unknown> };
    expect(Object.keys(second.timeseries)).toEqual(["cup:boils", "kettle:boils"]);
    expect(second.timeseries["kettle:boils"]).toEqual((JSON.parse(first) as typeof second).timeseries["kettle:boils"]);
    expect(readdirSync(dir).sort()).toEqual(["cup.toml", "kettle.toml", "lock.json"]);
  });

  test("refuses what has changed, and leaves the lock file as it is", async () => {
    write("kettle.toml", KETTLE_TOML);
    await schema("lock", "--dir", dir);
    const before = readFileSync(file("lock.json"), "utf8");
    write("kettle.toml", kettleWith(['"cumulative_u64"', '"u64"'], ["operator_only", "customer"]));
    const outcome = await schema("lock", "--dir", dir);
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toMatch(/^.*:7:14: visibility-widened: .*\n.*:14:14: datum-type-changed: .*\n$/);
    expect(readFileSync(file("lock.json"), "utf8")).toBe(before);
  });

  test("shows to customers what is named", async () => {
    write("kettle.toml", KETTLE_TOML);
    await schema("lock", "--dir", dir);
    write("kettle.toml", kettleWith(["operator_only", "customer"]));
    expect((await schema("lock", "--dir", dir)).code).toBe(1);
    expect((await schema("lock", "--dir", dir, "--widen", "kettle:boils")).code).toBe(0);
    expect(await schema("lock", "--check", "--dir", dir)).toEqual(quiet);
    expect(await schema("lock", "--dir", dir, "--widen", "kettle:steams")).toEqual({
      code: 2,
      stdout: "",
      stderr: '--widen "kettle:steams" names no timeseries here; `zonemeter schema list` lists them.',
    });
  });

  test("a broken lock file is a finding and is not written over", async () => {
    write("kettle.toml", KETTLE_TOML);
    write("lock.json", "{}");
    expect((await schema("lock", "--dir", dir)).stdout).toMatch(/lock\.json:1:1: lock-invalid: not a lock file: format_version: /);
    expect(readFileSync(file("lock.json"), "utf8")).toBe("{}");
  });

  test("definitions that are wrong are not locked", async () => {
    write("kettle.toml", kettleWith(['visibility = "operator_only"\n', ""]));
    expect((await schema("lock", "--dir", dir)).stdout).toMatch(/kettle\.toml:3:1: visibility-missing: the target/);
    expect(readdirSync(dir)).toEqual(["kettle.toml"]);
  });
});

describe("schema diff", () => {
  test("against a folder", async () => {
    mkdirSync(file("base"));
    mkdirSync(file("now"));
    write("base/kettle.toml", KETTLE_TOML);
    write("now/kettle.toml", KETTLE_TOML);
    write("now/cup.toml", kettleWith(["kettle", "cup"]));
    expect(await schema("diff", file("base"), "--dir", file("now"))).toEqual(quiet);
    write("now/kettle.toml", kettleWith(["operator_only", "customer"]));
    expect((await schema("diff", file("base"), "--dir", file("now"))).stdout).toMatch(/now\/kettle\.toml:7:14: visibility-widened: /);
    expect(await schema("diff", file("base"), "--dir", file("now"), "--widen", "kettle:boils", "--widen", "cup:boils")).toEqual(quiet);
    expect(await schema("diff", file("now"), "--dir", file("base"))).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/now\/cup\.toml:11:8: timeseries-removed: /) as string,
    });
  });

  test("an earlier state that could not be compiled is no base", async () => {
    mkdirSync(file("base"));
    write("base/kettle.toml", kettleWith(['units = "count"', 'units = "litres"']));
    write("kettle.toml", KETTLE_TOML);
    const outcome = await schema("diff", file("base"), "--dir", dir);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(/^The schemas of ".*base" are no base to compare with: .*unknown-value.*\. Name another one\.$/);
    // A rule of ours may be younger than the base.
    write("base/kettle.toml", kettleWith(['units = "count"', 'units = "count"\nunit = "count"'], ['"A kettle"', '""']));
    expect(await schema("diff", file("base"), "--dir", dir)).toEqual(quiet);
  });

  test("against a git revision, with its visibility table", async () => {
    const git = (...args: string[]): string =>
      execFileSync("git", ["-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com", ...args], { encoding: "utf8" });
    git("init", "-q");
    mkdirSync(file("sub"));
    write("README.toml", "not = 'looked at'");
    write("sub/kettle.toml", KETTLE_TOML);
    write("sub/visibility.toml", 'format_version = 1\n[timeseries]\n"cup:sips" = "operator_only"\n');
    git("add", "-A");
    git("commit", "-q", "-m", "first");
    git("tag", "released");
    const now = file("sub");
    expect(await schema("diff", "released", "--dir", now)).toEqual(quiet);
    write("sub/kettle.toml", kettleWith(['"cumulative_u64"', '"i64"'], ['name = "boils"', 'name = "boils" # now']));
    write("sub/visibility.toml", 'format_version = 1\n[timeseries]\n"cup:sips" = "customer"\n');
    expect((await schema("diff", "released", "--dir", now)).stdout).toBe(
      `${file("sub/kettle.toml")}:14:14: datum-type-changed: kettle:boils: datum type cumulative_u64 became i64; give the metric another name\n` +
        `${file("sub/visibility.toml")}:3:1: visibility-widened: cup:sips: operator_only became customer; if that is meant, pass --widen cup:sips\n`,
    );
    write("sub/kettle.toml", kettleWith(["boils", "steams"]));
    write("sub/visibility.toml", "format_version = 1\n[timeseries]\n");
    expect((await schema("diff", "HEAD", "--dir", now)).stdout).toBe(
      "HEAD:./kettle.toml:11:8: timeseries-removed: kettle:boils was released and is not defined any more\n",
    );
  });

  test("what is neither a folder nor a revision is a usage error", async () => {
    write("kettle.toml", KETTLE_TOML);
    for (const base of ["no-such-thing", "--", "-x", file("kettle.toml")]) {
      const args = base.startsWith("-") ? ["--", base] : [base];
      const outcome = await schema("diff", "--dir", dir, ...args);
      expect(outcome, base).toEqual({
        code: 2,
        stdout: "",
        stderr: `"${base}" is neither a folder nor a git revision that has the schemas; name one of the two.`,
      });
    }
  });
});

describe("schema list and docs", () => {
  test("one line for each timeseries of the product, in columns", async () => {
    const { code, stdout } = await schema("list");
    expect(code).toBe(0);
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect(head!.split(/  +/)).toEqual(["timeseries", "datum type", "units", "visibility", "fields"]);
    expect(rows.map((row) => row.split(" ")[0])).toEqual(loadCatalogue().names());
    expect(rows.find((row) => row.startsWith("zone_resource:cpu_nsec "))!.split(/  +/)).toEqual([
      "zone_resource:cpu_nsec",
      "cumulative_u64",
      "nanoseconds",
      "operator_only",
      "rack_id sled_id sled_model sled_revision sled_serial source state{user,sys,waitrq} zone_id zone_name zone_type",
    ]);
  });

  test("of another folder", async () => {
    write("kettle.toml", kettleWith(["operator_only", "customer"]));
    expect((await schema("list", "--dir", dir)).stdout.split("\n")[1]).toBe(
      "kettle:boils  cumulative_u64  count  customer    cause{button,timer} kettle_id",
    );
    expect((await schema("docs", "--dir", dir)).stdout).toMatch(/^# Metrics\n[^]*\n### kettle:boils\n/);
  });

  test("a folder with an error is a configuration error", async () => {
    write("kettle.toml", "x");
    expect(await schema("list", "--dir", dir)).toMatchObject({ code: 2, stdout: "" });
  });
});
