/** What JSON can say with 64-bit integers kept apart from floats. `undefined` members are left out. */
export type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson | undefined };

/**
 * JSON text in which a bigint is bare digits, all of them. A number that JSON cannot hold (NaN, infinities) becomes null. Half of a
 * surrogate pair becomes U+FFFD, as strict readers refuse a text that holds one.
 */
export function stringifyExact(value: ExactJson): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return quoteJson(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
  if (value === null || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${(value as readonly ExactJson[]).map(stringifyExact).join(",")}]`;
  const members: string[] = [];
  for (const [key, member] of Object.entries(value as Readonly<Record<string, ExactJson | undefined>>)) {
    if (member !== undefined) members.push(`${quoteJson(key)}:${stringifyExact(member)}`);
  }
  return `{${members.join(",")}}`;
}

/** A JSON string that every reader takes. */
export function quoteJson(text: string): string {
  return JSON.stringify(/[\ud800-\udfff]/.test(text) ? Buffer.from(text).toString() : text);
}
