/**
 * The only place where values become SQL text. Everything that a statement holds beside its own words goes through here, so text from
 * outside can't end a literal. Escapes are ClickHouse's.
 */

const STRING_ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\0": "\\0", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** `'…'`. A NUL is escaped too, because the embedded engine's interface ends text at one. */
export function stringLiteral(value: string): string {
  return `'${value.replaceAll(/[\\'\0\n\r\t]/g, (character) => STRING_ESCAPES[character]!)}'`;
}

/** A whole number of 64 bits, signed or not. */
export function integerLiteral(value: bigint | number): string {
  const whole = BigInt(value);
  if (whole < -(1n << 63n) || whole >= 1n << 64n) throw new RangeError(`${whole} does not fit 64 bits`);
  return whole.toString();
}

/** A DateTime64(9, 'UTC') of nanoseconds since the epoch. */
export function timestampLiteral(ns: bigint): string {
  return `fromUnixTimestamp64Nano(toInt64(${integerLiteral(ns)}), 'UTC')`;
}

/** A quoted name of a column, table or database. */
export function identifier(name: string): string {
  return `\`${name.replaceAll(/[\\`\0]/g, (character) => (character === "\0" ? "\\0" : `\\${character}`))}\``;
}

/** A quoted table name with its database. */
export function tableName(database: string, table: string): string {
  return `${identifier(database)}.${identifier(table)}`;
}
