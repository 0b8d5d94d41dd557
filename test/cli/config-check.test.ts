import { createServer } from "node:net";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { certificateFiles } from "../support/certificates.ts";
import { freePortBase } from "../support/free-port-base.ts";
import { runZonemeter } from "../support/zonemeter-process.ts";

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonemeter-config-check-"));
  file = join(folder, "zonemeter.toml");
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("settings that are right each, and not together", () => {
  it.each<[string, string, string[]]>([
    [
      "an open door",
      '[api]\noperator_listen = "0.0.0.0:443"',
      ["api.operator_listen (FILE:2:1) is 0.0.0.0:443, which other machines can reach, without TLS and tokens", "up", "collector", "api"],
    ],
    ["a certificate without its key", '[api]\ntls_cert = "c.pem"', ["api.tls_cert (FILE:2:1) is set alone", "up", "api"]],
    [
      "a certificate that is not there",
      `[api]\ntls_cert = "/nowhere.pem"\ntls_key = "${certificateFiles("server").key}"`,
      ['The TLS certificate "/nowhere.pem" cannot be read', "up", "api"],
    ],
    [
      "a token file that is not there",
      '[api]\ntoken_file = "/nowhere.toml"',
      ['The token file "/nowhere.toml" cannot be used', "up", "api"],
    ],
    [
      "both APIs on one port",
      '[api]\noperator_listen = "127.0.0.1:9001"\ncustomer_listen = "127.0.0.1:9001"',
      [
        "would have the operator API on 127.0.0.1:9001 and the customer API on 127.0.0.1:9001, which collide: change api.operator_listen (FILE:2:1) or api.customer_listen (FILE:3:1).",
        "up",
        "collector",
        "api",
      ],
    ],
    [
      "both APIs on one socket",
      '[api]\noperator_listen = "unix:/a/b"\ncustomer_listen = "unix:/a/b"',
      ["would have the operator API on unix:/a/b and the customer API on unix:/a/b, which collide", "up", "api"],
    ],
    [
      "an API on Nexus's port",
      '[up]\nport_base = 9000\n[api]\ncustomer_listen = "[::1]:9061"\noperator_listen = "127.0.0.1:9000"',
      ["would have Nexus on 127.0.0.1:9000 and the operator API on 127.0.0.1:9000", "up"],
    ],
    [
      "a collector that takes the port of every address",
      '[collector]\nlisten = "[::]:9001"\n[api]\noperator_listen = "127.0.0.1:9001"',
      ["would have the collector on [::]:9001 and the operator API on 127.0.0.1:9001", "collector"],
    ],
    ["a replay of nothing", '[producer]\nsources = ["replay"]', ['The source "replay" needs recordings', "up", "producer"]],
    [
      "a server's certificate that is not there",
      '[store]\nurl = "https://127.0.0.1:1"\ntls_ca = "/nowhere.pem"',
      ["The certificate file /nowhere.pem cannot be read", "up", "collector", "api"],
    ],
  ])("%s is told by `config check`, and by the start", async (_what, text, [sentence, ...commands]) => {
    await writeFile(file, `${text}\n`);
    for (const command of [["config", "check"], ...commands.map((each) => [each])]) {
      const done = await runZonemeter([...command, "--config", file], {
        ZONEMETER_UP_DATA_DIR: join(folder, "up"),
        ZONEMETER_STORE_DATA_DIR: join(folder, "store"),
        ZONEMETER_PRODUCER_STATE_DIR: join(folder, "producer"),
      });
      expect(done.stderr.replaceAll(file, "FILE"), command.join(" ")).toContain(sentence);
      expect(done.code).toBe(2);
    }
  });
});

it("is content with what can stand together", async () => {
  await writeFile(
    file,
    '[collector]\nlisten = "[fd00::1]:12281"\n[nexus]\nlisten = "127.0.0.1:0"\n[api]\noperator_listen = "127.0.0.1:0"\ncustomer_listen = "127.0.0.1:0"\n',
  );
  const done = await runZonemeter(["config", "check", "--config", file]);
  expect([done.stderr, done.code]).toEqual(["", 0]);
});

it("names the setting of an API's address whose port is in use, and not another", async () => {
  const squatter = createServer().listen(0, "127.0.0.1");
  await once(squatter, "listening");
  const { port } = squatter.address() as { port: number };
  const done = await runZonemeter(["up", "--data-dir", join(folder, "data"), "--port-base", String(await freePortBase())], {
    ZONEMETER_API_CUSTOMER_LISTEN: `127.0.0.1:${port}`,
  });
  squatter.close();
  expect(done.stderr).toBe(
    `zonemeter: The port of the customer API, 127.0.0.1:${port}, is in use: stop the program that holds it, or change api.customer_listen (ZONEMETER_API_CUSTOMER_LISTEN).\n`,
  );
  expect(done.code).toBe(1);
});
