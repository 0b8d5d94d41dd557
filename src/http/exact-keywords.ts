import { isIP } from "node:net";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";

type Place = { parentData: Record<string | number, unknown>; parentDataProperty: string | number };

export const RANGES_64 = { int64: [-(1n << 63n), (1n << 63n) - 1n], uint64: [0n, (1n << 64n) - 1n] } as const;

/**
 * An ajv for our documents. Three keywords replace what they check: `integer64` puts a bigint in place of an integer of 64 bits, whatever its
 * size, and refuses a number that cannot be exact; `double` puts a number in place of a bigint, which is what a float without fraction is read
 * as when it is long; `uuid` puts the hyphenated lower-case form in place of any that Rust's parser takes.
 */
export function createAjv(): Ajv {
  const ajv = new Ajv({ strict: true, strictTypes: false, verbose: true });
  addFormats.default(ajv);
  ajv.addFormat("ip", (text: string) => isIP(text) !== 0);
  ajv.addKeyword({
    keyword: "integer64",
    schemaType: "string",
    modifying: true,
    errors: false,
    compile: (format: keyof typeof RANGES_64) => {
      const [low, high] = RANGES_64[format];
      return (data: unknown, place) => {
        const exact = typeof data === "bigint" || Number.isSafeInteger(data) ? BigInt(data as bigint | number) : null;
        if (exact === null || exact < low || exact > high) return false;
        put(place as Place, exact);
        return true;
      };
    },
  });
  ajv.addKeyword({
    keyword: "double",
    schemaType: "boolean",
    modifying: true,
    errors: false,
    compile: () => (data: unknown, place) => {
      if (typeof data === "bigint") put(place as Place, Number(data));
      return typeof data === "bigint" || Number.isFinite(data);
    },
  });
  ajv.addKeyword({
    keyword: "uuid",
    type: "string",
    schemaType: "boolean",
    modifying: true,
    errors: false,
    compile: () => (data: string, place) => {
      const uuid = canonicalUuid(data);
      if (uuid !== null) put(place as Place, uuid);
      return uuid !== null;
    },
  });
  return ajv;
}

function put({ parentData, parentDataProperty }: Place, value: unknown): void {
  parentData[parentDataProperty] = value;
}

/** The hyphenated lower-case form of a UUID written with or without hyphens, in braces or as a URN; null where it is none. */
export function canonicalUuid(text: string): string | null {
  const match = /^(?:urn:uuid:([0-9a-f-]+)|\{([0-9a-f-]+)\}|([0-9a-f-]+))$/i.exec(text);
  const inner = match?.[1] ?? match?.[2] ?? match?.[3] ?? "";
  const parts = /^([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{12})$/i.exec(inner);
  if (parts === null) return null;
  return [parts[1], parts[3], parts[4], parts[5], parts[6]].join("-").toLowerCase();
}
