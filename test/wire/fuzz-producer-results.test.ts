import fc from "fast-check";
import { expect, test } from "vitest";
import { ZonemeterError } from "../../src/core/index.ts";
import { ProducerResultsReader, readProducerResults } from "../../src/wire/index.ts";
import { producerBody } from "../support/producer-body.ts";
import { producerResults } from "../support/arbitrary-samples.ts";
import { readWithLosslessJson } from "../support/lossless-producer-results.ts";

// JSON has one zero for floats as far as printing goes: -0 is written as 0.
const plain = (value: unknown): unknown =>
  Object.is(value, -0)
    ? 0
    : value instanceof Uint8Array
      ? value
      : Array.isArray(value)
        ? value.map(plain)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]))
          : value;

test("what is written is read back as it was, by our reader and by a general lossless one", () => {
  const kept = new ProducerResultsReader(2_000);
  fc.assert(
    fc.property(producerResults, (results) => {
      const body = producerBody(results);
      const expected = plain(results);
      expect(plain(readWithLosslessJson(body.toString()))).toEqual(expected);
      expect(plain(readProducerResults(body))).toEqual(expected);
      expect(plain(kept.read(body))).toEqual(expected);
    }),
    { numRuns: 200, endOnFailure: true },
  );
});

test("a reader that has seen other bodies reads a spaced and reordered one like the general reader", () => {
  const kept = new ProducerResultsReader(2_000);
  fc.assert(
    fc.property(producerResults, fc.integer(), (results, seed) => {
      const body = shuffle(producerBody(results).toString(), seed);
      expect(plain(kept.read(Buffer.from(body)))).toEqual(plain(readWithLosslessJson(body)));
    }),
    { numRuns: 200, endOnFailure: true },
  );
});

test("a damaged body is refused with one sentence, or means the same to the general reader", () => {
  const kept = new ProducerResultsReader();
  let refused = 0;
  let read = 0;
  fc.assert(
    fc.property(
      producerResults,
      fc.nat(),
      fc.constantFrom(...'0123456789-+.eE"\\{}[],: nulltrue\u0001é'),
      fc.constantFrom("replace", "insert", "cut"),
      (results, at, character, how) => {
        const whole = producerBody(results).toString();
        const characters = [...whole];
        characters.splice(at % (characters.length + 1), how === "insert" ? 0 : 1, ...(how === "cut" ? [] : [character]));
        const body = characters.join("");
        kept.read(Buffer.from(whole));
        let ours: unknown;
        try {
          ours = kept.read(Buffer.from(body));
        } catch (error) {
          expect(error).toBeInstanceOf(ZonemeterError);
          expect((error as ZonemeterError).code).toBe("invalid_input");
          expect((error as ZonemeterError).message).toMatch(/^\$.* is .*, where .* is expected\.$/su);
          refused++;
          return;
        }
        read++;
        let general: unknown;
        try {
          general = readWithLosslessJson(body);
        } catch (error) {
          // A key made equal to another by the damage: ours ignores that among keys it does not look at.
          if (String(error).includes("Duplicate key")) return;
          throw error;
        }
        expect(plain(withoutSpelling(ours))).toEqual(plain(withoutSpelling(general)));
      },
    ),
    { numRuns: 1500, endOnFailure: true },
  );
  expect(refused).toBeGreaterThan(300);
  expect(read).toBeGreaterThan(50);
});

/** Our reader spells addresses and UUIDs in one way; the general one leaves them. */
function withoutSpelling(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, member: unknown) =>
      typeof member === "bigint" ? `${member}n` : member instanceof Uint8Array ? [...member] : member,
    ),
    (_key, member: unknown) =>
      typeof member === "object" && member !== null && "type" in member && (member.type === "uuid" || member.type === "ip_addr")
        ? member.type
        : member,
  );
}

/** The same document with members of objects in another order, white space between tokens and a key nobody knows. */
function shuffle(body: string, seed: number): string {
  let state = seed | 0;
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) | 0;
    return (state >>> 16) % below;
  };
  const space = (): string => [" ", "", "\n", "\t", "\r\n", ""][random(6)]!;
  const print = (tokens: Iterator<string>, token: string): string => {
    if (token === "[") {
      const items: string[] = [];
      for (let next = tokens.next().value as string; next !== "]"; next = tokens.next().value as string)
        if (next !== ",") items.push(print(tokens, next));
      return `[${space()}${items.join(`${space()},${space()}`)}${space()}]`;
    }
    if (token !== "{") return token;
    const members: string[] = [];
    for (let key = tokens.next().value as string; key !== "}"; key = tokens.next().value as string) {
      if (key === ",") continue;
      tokens.next();
      members.splice(random(members.length + 1), 0, `${space()}${key}${space()}:${space()}${print(tokens, tokens.next().value as string)}`);
    }
    // Not among fields, where every key is a field.
    if (!members.every((member) => /^\s*"[a-z0-9_]+"\s*:\s*\{[^]*"name"/.test(member)))
      members.splice(random(members.length + 1), 0, '"x-unknown":[{"a":"\\u00e9}"},-1.5e3,null]');
    return `{${members.join(",")}${space()}}`;
  };
  const tokens = (body.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"]+/gs) ?? [])[Symbol.iterator]();
  return print(tokens, tokens.next().value as string);
}
