import { z } from "zod";
import {
  formatListenAddress,
  formatRfc3339,
  formatSocketAddress,
  LISTEN_PATH_MAX_BYTES,
  messageOf,
  NS_PER_MS,
  parseDurationNs,
  parseListenAddress,
  parseRfc3339,
  parseSocketAddress,
  type ListenAddress,
  type SocketAddress,
} from "../core/index.ts";

/**
 * A kind of setting: how a value of TOML is checked and read, what text from the environment or a flag is first made of, and how a value is
 * written. Messages of the check follow the setting's name and its value: `… "5x" is not a duration: …`.
 */
export interface Kind<T> {
  /** For the documentation. */
  readonly words: string;
  readonly check: z.ZodType<T>;
  readonly fromText: (text: string) => unknown;
  /** As TOML would have it. */
  readonly print: (value: T) => string;
}

const asIs = (text: string): unknown => text;
const quote = (text: string): string => JSON.stringify(text);

export const text: Kind<string> = {
  words: "text",
  check: z.string({ error: "is not a text: put it in quotes" }).min(1, "is empty: give at least one character"),
  fromText: asIs,
  print: quote,
};

export const path: Kind<string> = { ...text, words: "path" };

/** A text that is never printed. */
export const secret: Kind<string> = { ...text, words: "text, never shown", print: () => quote("***") };

export const uuid: Kind<string> = {
  words: "UUID",
  check: z
    .string({ error: "is not a UUID: put it in quotes" })
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "is not a UUID: write 32 hexadecimal digits as 8-4-4-4-12")
    .transform((value) => value.toLowerCase()),
  fromText: asIs,
  print: quote,
};

export const flag: Kind<boolean> = {
  words: "true or false",
  check: z.boolean({ error: "is neither true nor false" }),
  fromText: (value) => (value === "true" ? true : value === "false" ? false : value),
  print: String,
};

export function whole(low: number, high: number): Kind<number> {
  const wrong = `is not a whole number from ${low} to ${high}`;
  return {
    words: `whole number, ${low} to ${high}`,
    check: z.int({ error: wrong }).min(low, wrong).max(high, wrong),
    fromText: (value) => (/^-?\d{1,15}$/.test(value) ? Number(value) : value),
    print: String,
  };
}

/** Milliseconds, written with a unit. */
export function duration(lowMs: number, highMs: number): Kind<number> {
  return {
    words: `duration, ${printDuration(lowMs)} to ${printDuration(highMs)}`,
    check: z
      .string({ error: 'is not a duration: write a whole number and a unit in quotes, such as "10s"' })
      .transform((value, context) => {
        try {
          const ms = Number(parseDurationNs(value, "it")) / Number(NS_PER_MS);
          if (ms >= lowMs && ms <= highMs) return ms;
          context.addIssue(`is not from ${printDuration(lowMs)} to ${printDuration(highMs)}`);
        } catch (error) {
          context.addIssue(
            messageOf(error)
              .replace(/^it ".*" (is not a duration)/s, "$1")
              .replace(/\.$/, ""),
          );
        }
        return z.NEVER;
      }),
    fromText: asIs,
    print: (ms) => quote(printDuration(ms)),
  };
}

function printDuration(ms: number): string {
  for (const [unit, unitMs] of [
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
    ["ms", 1],
  ] as const)
    if (ms % unitMs === 0) return `${ms / unitMs}${unit}`;
  return `${ms * 1e6}ns`;
}

/** An instant, as ns since the epoch. */
export const timestamp: Kind<bigint> = {
  words: "RFC 3339 time",
  check: z.string({ error: 'is not a time: write it in quotes, such as "2026-11-20T00:00:00Z"' }).transform((value, context) => {
    const ns = parseRfc3339(value);
    if (ns !== null) return ns;
    context.addIssue("is not a time: write it as 2026-11-20T00:00:00Z");
    return z.NEVER;
  }),
  fromText: asIs,
  print: (ns) => quote(formatRfc3339(ns)),
};

/** `any` lets port 0 stand for a free one, `reachable` wants a real one. */
export function address(port: "any" | "reachable"): Kind<SocketAddress> {
  return {
    words: "IP:PORT",
    check: z.string({ error: 'is not an address: write IP:PORT in quotes, such as "127.0.0.1:12221"' }).transform((value, context) => {
      const parsed = parseSocketAddress(value);
      if (parsed !== null && (port === "any" || parsed.port !== 0)) return parsed;
      context.addIssue(
        parsed === null
          ? "is not an address: write IP:PORT, such as 127.0.0.1:12221 or [::1]:12221"
          : "has port 0, where nothing can be reached",
      );
      return z.NEVER;
    }),
    fromText: asIs,
    print: (value) => quote(formatSocketAddress(value)),
  };
}

/** Where an API listens: an IP address and port, or a Unix domain socket. */
export const listener: Kind<ListenAddress> = {
  words: "IP:PORT or unix:/PATH",
  check: z.string({ error: "is not an address: write IP:PORT or unix:/PATH in quotes" }).transform((value, context) => {
    const parsed = parseListenAddress(value);
    if (parsed !== null) return parsed;
    context.addIssue(
      value.startsWith("unix:")
        ? `is not a socket: write unix: and an absolute path of at most ${LISTEN_PATH_MAX_BYTES} bytes, such as unix:/run/zonemeter/api.sock`
        : "is not an address: write IP:PORT, such as 127.0.0.1:12281 or [::1]:12281, or unix:/PATH",
    );
    return z.NEVER;
  }),
  fromText: asIs,
  print: (value) => quote(formatListenAddress(value)),
};

/** Permissions of a file as chmod writes them. The owner always has its own. */
export const fileMode: Kind<number> = {
  words: "octal mode",
  check: z
    .string({ error: 'is not a mode: write octal digits in quotes, such as "0600"' })
    .regex(/^0?6[0-7]{2}$/, "is not a mode of a socket: write octal digits that begin with 6 for its owner, such as 0600 or 0660")
    .transform((value) => Number.parseInt(value, 8)),
  fromText: asIs,
  print: (value) => quote(value.toString(8).padStart(4, "0")),
};

export function oneOf<const T extends string>(choices: readonly T[]): Kind<T> {
  return {
    words: choices.join(", "),
    check: z.enum(choices, { error: `is not one of ${choices.join(", ")}` }) as unknown as z.ZodType<T>,
    fromText: asIs,
    print: quote,
  };
}

/** Several of a kind: an array in TOML, a list with commas between in the environment or a flag. */
export function listOf<T>(item: Kind<T>, least: number): Kind<readonly T[]> {
  return {
    words: `list of ${item.words}`,
    check: z
      .array(item.check, { error: "is not a list: put it in brackets" })
      .min(least, `has less than ${least} entry`) as unknown as z.ZodType<readonly T[]>,
    fromText: (value) => value.split(",").map((part) => item.fromText(part.trim())),
    print: (values) => `[${values.map(item.print).join(", ")}]`,
  };
}

/** An `http` or `https` URL. What is printed of it hides a password. */
export const url: Kind<string> = {
  words: "http or https URL",
  check: z
    .string({ error: "is not a URL: put it in quotes" })
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), "is not a URL: write it as http://HOST:PORT"),
  fromText: asIs,
  print: (value) => quote(withoutPassword(value)),
};

function withoutPassword(value: string): string {
  const parsed = new URL(value);
  if (parsed.password === "") return value;
  parsed.password = "***";
  return parsed.href;
}

/** A setting that may be left open, which only its default can say. */
export function optional<T>(kind: Kind<T>, whenOpen: string): Kind<T | null> {
  return { ...kind, print: (value) => (value === null ? whenOpen : kind.print(value)) };
}
