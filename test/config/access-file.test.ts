import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readAccessFile } from "../../src/config/index.ts";
import { newToken } from "../../src/http/index.ts";

const SILO = "00000001-aaaa-4bbb-8ccc-dddddddddddd";
const OTHER_SILO = "00000002-aaaa-4bbb-8ccc-dddddddddddd";
const WEB = "00000003-aaaa-4bbb-8ccc-dddddddddddd";
const OTHER_WEB = "00000004-aaaa-4bbb-8ccc-dddddddddddd";
const HASH = "ab".repeat(32);
const PLACES = `
[[silo]]
name = "shop"
id = "${SILO}"
[[silo]]
name = "bank"
id = "${OTHER_SILO.toUpperCase()}"
[[project]]
name = "web"
id = "${WEB}"
silo = "shop"
[[project]]
name = "web"
id = "${OTHER_WEB}"
silo = "${OTHER_SILO}"
`;
const ONE = `[[token]]\nname = "one"\nprincipal = "operator"\nsha256 = "${HASH}"\n`;

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "access-"));
  file = join(folder, "tokens.toml");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function read(text: string) {
  await writeFile(file, text);
  return readAccessFile(file);
}

it("says who may ask, and which projects there are", async () => {
  const list = await read(`${PLACES}
    [[token]]
    name = "on call"
    principal = "operator"
    sha256 = "${HASH.toUpperCase()}"
    [[token]]
    name = "wall"
    principal = "fleet_viewer"
    sha256 = "${"01".repeat(32)}"
    [[token]]
    name = "keeper"
    principal = "silo_viewer"
    silo = "bank"
    sha256 = "${"02".repeat(32)}"
    [[token]]
    name = "maker"
    principal = "project_viewer"
    projects = ["${WEB.toUpperCase()}"]
    sha256 = "${"03".repeat(32)}"
    [[certificate]]
    common_name = "dashboard.example"
    principal = "operator"
  `);
  expect(list.projects).toEqual([
    { name: "web", id: WEB, siloId: SILO },
    { name: "web", id: OTHER_WEB, siloId: OTHER_SILO },
  ]);
  expect(list.tokens.map(({ principal }) => principal)).toEqual([
    { name: "on call", kind: "operator" },
    { name: "wall", kind: "fleet_viewer" },
    { name: "keeper", kind: "silo_viewer", siloId: OTHER_SILO },
    { name: "maker", kind: "project_viewer", projectIds: [WEB] },
  ]);
  expect(Buffer.from(list.tokens[0]!.sha256).toString("hex")).toBe(HASH);
  expect(list.certificates).toEqual([{ commonName: "dashboard.example", principal: { name: "dashboard.example", kind: "operator" } }]);
});

describe("a mistake", () => {
  const token = newToken().token;
  it.each([
    ["", "it names no token and no certificate, so nobody could ask anything; make one with `zonemeter token new`."],
    [PLACES, "it names no token and no certificate"],
    [ONE + ONE, 'two tokens are called "one"; each must be its own.'],
    [ONE + ONE.replace('"one"', '"two"'), 'token 2 ("two") has the hash of another one; make it one of its own.'],
    [ONE.replace(HASH, token), 'token 1 ("one"): sha256 must be 64 hexadecimal digits: the hash that `zonemeter token new` prints.'],
    [ONE.replace("operator", "admin"), 'token 1 ("one"): principal must be one of operator, fleet_viewer, silo_viewer, project_viewer.'],
    [ONE.replace('name = "one"\n', ""), "token 1: name must be a text."],
    [ONE.replace('"one"', '"o\\nne"'), 'token 1 ("o\\nne"): name must be 1 to 64 printable characters without quotes and backslashes.'],
    [`${ONE}rights = 3\n`, 'token 1 ("one"): has no key "rights".'],
    [`${ONE}[[tokens]]\n`, 'a token file has no key "tokens"; there are silo, project, token and certificate.'],
    [ONE.replace("[[token]]", "[token]"), "token must be written as [[token]]."],
    [`${ONE}silo = "shop"\n${PLACES}`, 'token "one" is operator and takes no silo.'],
    [`${PLACES}${ONE.replace("operator", "silo_viewer")}`, 'token "one" must name its silo.'],
    [`${PLACES}${ONE.replace("operator", "silo_viewer")}silo = "x"\n`, 'token "one" names silo "x", which no [[silo]] declares.'],
    [`${PLACES}${ONE.replace("operator", "project_viewer")}`, 'token "one" must list its projects.'],
    [`${PLACES}${ONE.replace("operator", "project_viewer")}projects = []\n`, 'token 1 ("one"): projects must name a project.'],
    [
      `${PLACES}${ONE.replace("operator", "project_viewer")}projects = ["web"]\n`,
      'token "one" names project "web", which several silos have; write its id.',
    ],
    [`${ONE}${PLACES}[[project]]\nname = "x"\nid = "${WEB}"\nsilo = "shop"\n`, `two projects have the id "${WEB}"`],
    [`${ONE}${PLACES}[[project]]\nname = "web"\nid = "${SILO}"\nsilo = "shop"\n`, `two projects of one silo are called "${SILO}/web"`],
    [`${ONE}[[project]]\nname = "Web"\nid = "${WEB}"\nsilo = "shop"\n`, 'project 1 ("Web"): name must be 1 to 63 lower-case letters'],
    [`${ONE}[[silo]]\nname = "a"\nid = "b"\n`, 'silo 1 ("a"): id must be a UUID.'],
  ])("%#", async (text, message) => {
    const failure = (await read(text).catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ name: "ZonemeterError", code: "config", exitCode: 2 });
    expect(failure.message.slice(0, file.length + 2 + message.length)).toBe(`${file}: ${message}`);
    expect(failure.message).not.toContain("\n");
    expect(failure.message).not.toContain(token);
    expect(failure.message).not.toContain(HASH);
  });

  it("of TOML is told with its place, and nothing of the line", async () => {
    const failure = (await read(`[[token]]\nsha256 = ${token}\n`).catch((error: unknown) => error)) as Error;
    expect(failure.message.startsWith(`${file}:2:`)).toBe(true);
    expect(failure.message).not.toContain(token.slice(0, 20));
  });

  it("of who may write to the file is told", async () => {
    await writeFile(file, ONE);
    await chmod(file, 0o666);
    await expect(readAccessFile(file)).rejects.toMatchObject({
      code: "config",
      message: `The token file "${file}" cannot be used: every user may write to it; take that away with chmod o-w.`,
    });
    await expect(readAccessFile(join(folder, "none"))).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("ENOENT") as string,
    });
  });
});
