import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePortBase } from "../support/free-port-base.ts";
import { runZonemeter, type Finished } from "../support/zonemeter-process.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-usage-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Stderr without the log: what a person is told. */
function told({ stderr }: Finished): string[] {
  return stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
}

describe("wrong command lines", () => {
  it.each<[string[], number, RegExp]>([
    [[], 2, /--help/],
    [["frobnicate"], 2, /unknown command 'frobnicate'/],
    [["up", "--frobnicate"], 2, /unknown option '--frobnicate'/],
    [["up", "extra"], 2, /^zonemeter: The command up takes no argument and got 1: /],
    [["query", "get", "a:b"], 2, /^zonemeter: The command query takes 1 argument and got 2: put what has spaces in quotes/],
    [["up", "--data-dir"], 2, /^zonemeter: --data-dir <folder> needs its value\.$/],
    [["query", "--fromat", "csv", "get a:b"], 2, /^zonemeter: unknown option '--fromat': did you mean --format\?$/],
    [["qurey"], 2, /^zonemeter: unknown command 'qurey': did you mean query\?$/],
    [["token", "new", "--name", "a"], 2, /^zonemeter: --principal <principal> is missing; /],
    [["token", "new", "--name", "a", "--principal", "silo_viewer"], 2, /^zonemeter: --principal silo_viewer needs --silo\.$/],
    [["token", "new", "--name", "a", "--principal", "operator", "--silo", "b"], 2, /--silo is for --principal silo_viewer, not operator/],
    [["store", "init", "--store", "http://127.0.0.1:1"], 3, /^zonemeter: store\.url \(--store\): The engine of ClickHouse server/],
    [["up", "--sample-interval", "ten"], 2, /--sample-interval "ten"/],
    [["up", "--sample-interval", "0s"], 2, /--sample-interval "0s"/],
    [["up", "--port-base", "70000"], 2, /--port-base 70000 /],
    [["up", "--source", "dtrace"], 2, /--source "dtrace"/],
    [["up", "--source", "replay"], 2, /--replay FILE/],
    [["query"], 2, /oxql/],
    [["query", "--format", "xml", "get a:b"], 2, /^zonemeter: --format "xml" is not one of table, json, ndjson, csv\.$/],
    [["query", "--url", "nowhere", "get a:b"], 2, /"nowhere" is not a URL/],
    [["sample", "--count", "0"], 2, /--count "0"/],
    [["schema", "check", "/nonexistent"], 2, /\/nonexistent/],
  ])("%j end with %d and one sentence", async (args, code, sentence) => {
    const done = await runZonemeter(args);
    expect(told(done)).toEqual([expect.stringMatching(sentence)]);
    expect(done.stdout).toBe("");
    expect(done.code).toBe(code);
  });
});

describe("things that are not there", () => {
  it("names a broken configuration file with the place", async () => {
    const file = join(folder, "broken.toml");
    await writeFile(file, '[producer]\nsample_intervall = "10s"\n');
    const done = await runZonemeter(["config", "check", "--config", file]);
    expect(told(done)).toEqual([expect.stringContaining(`${file}:2:1`)]);
    expect(told(done)[0]).toContain("sample_interval");
    expect(done.code).toBe(2);
  });

  it("does not wait for a configuration file that is a pipe or a folder", async () => {
    const done = await runZonemeter(["config", "check", "--config", folder]);
    expect(told(done)).toEqual([`zonemeter: The configuration file "${folder}" cannot be read: it is not a regular file.`]);
    expect(done.code).toBe(2);
  });

  it("names a recording that is missing, and starts nothing", async () => {
    const file = join(folder, "absent.txt");
    const done = await runZonemeter([
      "up",
      "--data-dir",
      join(folder, "data"),
      "--replay",
      file,
      "--port-base",
      String(await freePortBase()),
    ]);
    expect(told(done)).toEqual([expect.stringContaining(file)]);
    expect(done.code).toBe(3);
  });

  it("names a recording that is none", async () => {
    const file = join(folder, "garbage.txt");
    await writeFile(file, "\u0000\u0001 nothing of the kind\n".repeat(100));
    const done = await runZonemeter([
      "up",
      "--data-dir",
      join(folder, "data"),
      "--replay",
      file,
      "--port-base",
      String(await freePortBase()),
    ]);
    expect(told(done)).toEqual([expect.stringContaining(file)]);
    expect(done.code).toBe(1);
  });

  it("names a port that is in use", async () => {
    const base = await freePortBase();
    const squatter = createServer().listen(base + 60, "127.0.0.1");
    await once(squatter, "listening");
    const done = await runZonemeter(["up", "--data-dir", join(folder, "data"), "--port-base", String(base)]);
    squatter.close();
    expect(told(done)).toEqual([expect.stringContaining(String(base + 60))]);
    expect(done.code).toBe(1);
  });

  it("names a data directory that is a file", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const done = await runZonemeter(["up", "--data-dir", file, "--port-base", String(await freePortBase())]);
    expect(told(done)).toEqual([expect.stringContaining(file)]);
    expect(done.code).toBe(3);
  });

  it("says where nobody answers", async () => {
    const base = await freePortBase();
    const done = await runZonemeter(["query", "--url", `http://127.0.0.1:${base}`, "get a:b | last 1"]);
    expect(told(done)).toEqual([expect.stringContaining(`http://127.0.0.1:${base}`)]);
    expect(done.code).toBe(3);
  });

  it("says where something else answers", async () => {
    const other = createServer((_request, response) => response.end("<html>hello</html>")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const done = await runZonemeter(["query", "--url", `http://127.0.0.1:${(other.address() as AddressInfo).port}`, "get a:b | last 1"]);
    other.close();
    expect(told(done)).toHaveLength(1);
    expect(done.stdout).toBe("");
    expect(done.code).toBe(3);
  });
});

describe("a variable that is no setting", () => {
  const env = { ZONEMETER_PRODUCER_LISTNE: "1" };
  const sentence = "zonemeter: The variable ZONEMETER_PRODUCER_LISTNE is no setting: did you mean ZONEMETER_PRODUCER_LISTEN?";

  it("is refused by `config check`, which shows all the same what holds", async () => {
    const done = await runZonemeter(["config", "check"], env);
    expect(told(done)).toEqual([sentence]);
    expect(done.stdout).toContain("producer.listen ");
    expect(done.code).toBe(2);
  });

  it("is told once by another command, which goes on", async () => {
    const done = await runZonemeter(["schema", "check"], env);
    expect(told(done)).toEqual([sentence]);
    expect(done.code).toBe(0);
  });
});

describe("an error tells where a value came from:", () => {
  it.each<[string, string[], Record<string, string>, number, string]>([
    ["the variable of an address", ["query", "get a:b"], { ZONEMETER_URL: "nowhere" }, 2, 'ZONEMETER_URL "nowhere" is not a URL'],
    [
      "a flag before the variable",
      ["query", "--url", "ftp://a", "get a:b"],
      { ZONEMETER_URL: "nowhere" },
      2,
      '--url "ftp://a" is not an http',
    ],
    [
      "the variable where nobody answers",
      ["query", "get a:b"],
      { ZONEMETER_URL: "http://127.0.0.1:1" },
      3,
      "or name another API with ZONEMETER_URL.",
    ],
    [
      "the variable of a setting",
      ["api"],
      { ZONEMETER_API_OPERATOR_LISTEN: "0.0.0.0:1" },
      2,
      "api.operator_listen (ZONEMETER_API_OPERATOR_LISTEN) is 0.0.0.0:1, which other machines can reach",
    ],
    ["the flag of a setting", ["api", "--store", "http://127.0.0.1:1"], {}, 3, "store.url (--store): The engine of ClickHouse server"],
    [
      "the variable of a folder",
      ["api"],
      { ZONEMETER_STORE_DATA_DIR: "/dev/null/store" },
      3,
      "store.data_dir (ZONEMETER_STORE_DATA_DIR) is /dev/null/store, which cannot be made",
    ],
  ])("%s", async (_what, args, env, code, sentence) => {
    const done = await runZonemeter(args, env);
    expect(told(done)).toEqual([expect.stringContaining(sentence)]);
    expect(done.code).toBe(code);
  });

  it("the line of a file", async () => {
    const file = join(folder, "places.toml");
    await writeFile(file, '[store]\ndata_dir = "/dev/null/store"\n[api]\ntls_cert = "cert.pem"\n');
    expect(told(await runZonemeter(["api", "--config", file]))).toEqual([
      `zonemeter: api.tls_cert (${file}:4:1) is set alone: set api.tls_cert and api.tls_key, or neither.`,
    ]);
    const withoutTls = join(folder, "store.toml");
    await writeFile(withoutTls, '[store]\ndata_dir = "/dev/null/store"\n');
    const done = await runZonemeter(["api", "--config", withoutTls]);
    expect(told(done)).toEqual([expect.stringContaining(`store.data_dir (${withoutTls}:2:1) is /dev/null/store, which cannot be made`)]);
    expect(done.code).toBe(3);
  });
});
