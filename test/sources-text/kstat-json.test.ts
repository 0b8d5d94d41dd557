import { describe, expect, test } from "vitest";
import { KstatJsonReader } from "../../src/sources/kstat-json.ts";
import type { KstatSnapshot } from "../../src/sources/kstat-snapshot.ts";
import { readWhole } from "../../src/sources/text-reader.ts";

/** One object as the tool prints it. */
function object(module: string, instance: number, name: string, data: string[]): string {
  const fields = data.map((each) => `\t\t${each}`).join(",\n");
  return `{\n\t"module": "${module}",\n\t"instance": ${instance},\n\t"name": "${name}",\n\t"class": "zone_misc",\n\t"type": 1,\n\t"snaptime": 1.000000001,\n\t"data": {\n${fields}\n\t}\n}`;
}

const zone = (id: number, name: string, user: string): string =>
  object("zones", id, name, ['"crtime": 7.000000001', `"nsec_user": ${user}`, '"snaptime": 90.000000002', `"zonename": "${name}"`]);

function read(text: string): { snapshots: KstatSnapshot[]; codes: string[] } {
  const { items, diagnostics } = readWhole(new KstatJsonReader(), text);
  return { snapshots: items, codes: diagnostics.map(({ code }) => code) };
}

const users = (snapshots: readonly KstatSnapshot[]): (string | undefined)[][] =>
  snapshots.map(({ kstats }) => kstats.map(({ stats }) => stats.get("nsec_user")));

describe("kstat -j", () => {
  test("keeps all 64 bits and takes the times inside the data", () => {
    const { snapshots, codes } = read(`[${zone(5, "web", "18446744073709551614")}]\n`);
    expect(codes).toEqual([]);
    expect(snapshots).toEqual([
      {
        timeNs: null,
        line: 1,
        kstats: [
          {
            module: "zones",
            instance: 5,
            name: "web",
            class: "zone_misc",
            crtimeNs: 7_000_000_001n,
            snaptimeNs: 90_000_000_002n,
            zonename: "web",
            stats: new Map([["nsec_user", "18446744073709551614"]]),
            readFailed: false,
          },
        ],
      },
    ]);
  });

  test("documents after the first begin with a comma", () => {
    const { snapshots, codes } = read(`[${zone(5, "a", "1")}, ${zone(6, "b", "2")}]\n\n[, ${zone(5, "a", "3")}, ${zone(6, "b", "4")}]\n`);
    expect(users(snapshots)).toEqual([
      ["1", "2"],
      ["3", "4"],
    ]);
    expect(codes).toEqual(["leading-separator"]);
  });

  test("time lines of -T date the document behind them", () => {
    const { snapshots } = read(`1804241700\n[${zone(5, "a", "1")}]\n\n1804241710\n[, ${zone(5, "a", "3")}]\n`);
    expect(snapshots.map(({ timeNs }) => timeNs)).toEqual([1_804_241_700_000_000_000n, 1_804_241_710_000_000_000n]);
  });

  test("is the same however the bytes are cut", () => {
    const text = `1804241700\n[${object("sderr", 0, "sd0,err", ['"Product": "a\\?\\"{}[]\\\\"', '"snaptime": 9.000000000'])}, ${zone(6, "b", "2")}]\n\n[, ${zone(5, "a", "3")}]\n`;
    const whole = read(text);
    expect(whole.snapshots[0]!.kstats[0]!.stats.get("Product")).toBe('a?"{}[]\\');
    for (const chunk of [1, 3, 50]) {
      const reader = new KstatJsonReader();
      const snapshots: KstatSnapshot[] = [];
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += chunk) snapshots.push(...reader.push(bytes.subarray(at, at + chunk)));
      expect([...snapshots, ...reader.end()]).toEqual(whole.snapshots);
      expect(reader.takeDiagnostics()).toEqual(expect.arrayContaining([expect.objectContaining({ code: "illegal-escape" })]));
    }
  });

  test("an escape that JSON does not know is repaired and nothing is lost", () => {
    const { snapshots, codes } = read(
      `[${object("sderr", 0, "n", ['"V": "\\?W\\u00e4\\t\\/"', '"Größe": "ö"', '"snaptime": 9.000000000'])}]`,
    );
    expect(codes).toEqual(["illegal-escape"]);
    expect([...snapshots[0]!.kstats[0]!.stats]).toEqual([
      ["V", "?Wä\t/"],
      ["Größe", "ö"],
    ]);
  });

  test("a zone that went away has its crtime alone", () => {
    const { snapshots, codes } = read(`[${object("zones", 3, "gone", ['"crtime": 7.000000001'])}, ${zone(6, "b", "2")}]`);
    expect(snapshots[0]!.kstats.map(({ readFailed }) => readFailed)).toEqual([true, false]);
    expect(codes).toEqual(["kstat-read-failed"]);
  });

  test("an empty document is told, and is no snapshot", () => {
    expect(read("[]\n")).toEqual({ snapshots: [], codes: ["no-data"] });
    expect(read("\n\n")).toEqual({ snapshots: [], codes: ["no-data"] });
  });
});

describe("damage costs one object", () => {
  const around = (middle: string): { snapshots: KstatSnapshot[]; codes: string[] } =>
    read(`[${zone(1, "a", "1")}, ${middle}, ${zone(9, "z", "9")}]\n`);

  test.each([
    ["a lost quote", zone(5, "web", "7").replace('"web",', '"web,')],
    ["a lost brace", zone(5, "web", "7").replace('"data": {', '"data": ')],
    ["a brace too many", zone(5, "web", "7").replace('"data": {', '"data": {{')],
    ["a lost colon", zone(5, "web", "7").replace('"nsec_user":', '"nsec_user"')],
    ["a leading zero", zone(5, "web", "07")],
    ["a sign", zone(5, "web", "+7")],
    ["hexadecimal", zone(5, "web", "0x7")],
    ["a blank in a number", zone(5, "web", "7 7")],
    ["digits of another script", zone(5, "web", "٧")],
    ["a statistic that comes twice", object("zones", 5, "web", ['"nsec_user": 7', '"nsec_user": 8'])],
    ["a control character in a string", zone(5, "w\u0001eb", "7")],
    ["no instance", zone(5, "web", "7").replace('"instance": 5,', "")],
    ["no data", zone(5, "web", "7").replace('"data"', '"date"')],
    ["nesting without end", object("zones", 5, "web", [`"x": ${"[".repeat(5_000)}`])],
  ])("%s", (_what, damaged) => {
    const { snapshots, codes } = around(damaged);
    expect(users(snapshots).flat()).toEqual(["1", "9"]);
    expect(codes.some((code) => code.startsWith("malformed"))).toBe(true);
  });

  test("a number that JSON can have and a counter cannot stays text, to be judged where it is used", () => {
    expect(users(around(zone(5, "web", "-7e3")).snapshots)).toEqual([["1", "-7e3", "9"]]);
  });

  test("a document that is cut keeps its whole objects", () => {
    const text = `[${zone(1, "a", "1")}, ${zone(5, "web", "7")}`;
    const { snapshots, codes } = read(text.slice(0, -20));
    expect(users(snapshots)).toEqual([["1"]]);
    expect(codes).toEqual(["truncated-document"]);
  });

  test("an object larger than any is not kept", () => {
    const reader = new KstatJsonReader();
    reader.push(Buffer.from(`[${zone(1, "a", "1")}, {\n\t"module": "`));
    for (let i = 0; i < 40; i++) reader.push(Buffer.alloc(65_536, "x"));
    const snapshots = reader.push(Buffer.from(`"\n}, ${zone(9, "z", "9")}]\n`));
    expect(users(snapshots)).toEqual([["1", "9"]]);
    expect(reader.takeDiagnostics().map(({ code }) => code)).toEqual(["overlong-object"]);
  });
});
