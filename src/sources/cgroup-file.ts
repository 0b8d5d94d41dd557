import { closeSync, openSync, readSync } from "node:fs";
import { NO_CAP, readingOf } from "./reading.ts";
import type { Reading } from "./source.ts";

/** Why something is not measured. */
export class NotMeasured {
  readonly reason: string;
  /** The file does not exist: this kernel, or this group, does not have the statistic. */
  readonly absent: boolean;

  constructor(reason: string, absent = false) {
    this.reason = reason;
    this.absent = absent;
  }
}

/** True where a file is not there at all. */
export function isAbsent(value: unknown): boolean {
  return value instanceof NotMeasured && value.absent;
}

export const NO_LIMIT = new NotMeasured(NO_CAP);

/** Where files are read into, one after the other. Most have less than 2 KiB; /proc/stat of a large machine has more than this. */
let room = Buffer.allocUnsafeSlow(16 * 1024);

/** Text of a small kernel file, or why it cannot be read. */
export function readKernelFile(directory: string, name: string): string | NotMeasured {
  try {
    return textOf(`${directory}/${name}`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    if (code === "ENOENT") return new NotMeasured(`${name} is not there`, true);
    if (code === "ENODEV") return new NotMeasured(`the group vanished while ${name} was read`);
    if (code === "EACCES" || code === "EPERM") return new NotMeasured(`no permission to read ${name}`);
    return new NotMeasured(`${name} could not be read (${code})`);
  }
}

/** A third less work than `readFileSync`: with very many groups this is where the time goes. */
function textOf(path: string): string {
  const descriptor = openSync(path, "r");
  try {
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, room, length, room.length - length, null);
      length += read;
      // The kernel gives all of a file that fits at once; only where it may not have fit is there more to ask for.
      if (read === 0 || length < room.length) return room.toString("utf8", 0, length);
      room = Buffer.concat([room, Buffer.allocUnsafeSlow(room.length)]);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A file that holds one whole number. `max` is NO_LIMIT. */
export function readNumber(directory: string, name: string): bigint | NotMeasured {
  const text = readKernelFile(directory, name);
  if (text instanceof NotMeasured) return text;
  const word = text.trim();
  if (word === "max") return NO_LIMIT;
  return /^\d{1,20}$/.test(word) ? BigInt(word) : new NotMeasured(`${name} does not hold a number`);
}

/** The number after `key` in a file of `key number` lines, or null. */
export function numberAfter(text: string, key: string): bigint | null {
  const start = text.startsWith(`${key} `) ? 0 : text.indexOf(`\n${key} `) + 1;
  if (start === 0 && !text.startsWith(`${key} `)) return null;
  const from = start + key.length + 1;
  let end = text.indexOf("\n", from);
  if (end === -1) end = text.length;
  const word = text.slice(from, end).trim();
  return /^\d{1,20}$/.test(word) ? BigInt(word) : null;
}

/** The number after the first of `keys` that `text` has; `name` is the file's, for the reason. */
export function keyedNumber(text: string | NotMeasured, name: string, ...keys: readonly string[]): bigint | NotMeasured {
  if (text instanceof NotMeasured) return text;
  for (const key of keys) {
    const value = numberAfter(text, key);
    if (value !== null) return value;
  }
  return new NotMeasured(`${name} has no readable ${keys.join(" or ")}`);
}

export function reading(metric: string, value: bigint | number | NotMeasured, labels?: Readonly<Record<string, string>>): Reading {
  return readingOf(metric, value instanceof NotMeasured ? value.reason : value, labels);
}
