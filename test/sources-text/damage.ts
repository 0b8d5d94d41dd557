import { Random } from "../support/random.ts";

const FOREIGN = [" ", "-", "+", "e", "x", "\0", "٣", "²", "_", ";", "'", "\u00a0", "!"];

/** Ways to damage a number so that nobody may take it for one. Digits are never changed into other digits: that cannot be seen. */
const NUMBER_DAMAGES: readonly ((random: Random, token: string) => string)[] = [
  (random, token) => {
    const at = random.below(token.length + 1);
    return token.slice(0, at) + random.pick(FOREIGN) + token.slice(at);
  },
  (random, token) => `${random.pick(["-", "+", "0x", "0", " ", "~"])}${token}`,
  (random) => random.pick(["", "NaN", "Infinity", "1e3", "0x1F", "null", "٤٢", "--", "1.2.3", "K", "%"]),
  (_random, token) => token.replace(/^\d+/, "9".repeat(120)),
  (_random, token) => token.replace(/^\d+/, "9".repeat(70_000)),
];

/** Fuzz runs: ZONEMETER_FUZZ_RUNS sets how many, ZONEMETER_FUZZ_SEED which. */
export const FUZZ_RUNS = Number(process.env["ZONEMETER_FUZZ_RUNS"] ?? 1_500);
export const FUZZ_SEED = Number(process.env["ZONEMETER_FUZZ_SEED"] ?? Date.now() % 1_000_000);

export function damagedNumber(random: Random, token: string): string {
  // The longest ones are slow, and one kind among many.
  const damage = NUMBER_DAMAGES[random.chance(0.002) ? 4 : random.below(4)]!;
  return damage(random, token);
}

/** Damages one of the tokens that `pattern` (global) finds in the line. */
export function damageNumberIn(random: Random, line: string, pattern: RegExp): string {
  const tokens = [...line.matchAll(pattern)];
  const token = random.pick(tokens);
  return line.slice(0, token.index) + damagedNumber(random, token[0]) + line.slice(token.index + token[0].length);
}

/** Takes out one of the fields between separators, with one separator. */
export function dropField(random: Random, line: string, separator: string): string {
  const fields = line.split(separator);
  fields.splice(random.below(fields.length), 1);
  return fields.join(separator);
}

/** Cuts the line anywhere before its end. */
export function cut(random: Random, line: string): string {
  return line.slice(0, random.below(line.length));
}
