import { writeSync } from "node:fs";
import { pino, type Logger as PinoLogger } from "pino";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
export type Logger = Pick<PinoLogger, "debug" | "info" | "warn" | "error"> & { child(bindings: Record<string, unknown>): Logger };

/** How often a write into a full pipe is tried again, a millisecond apart, before the line is dropped. */
const WRITE_ATTEMPTS = 50;

/** Lines that could not be written: the disk of the log is full, or whoever read it has gone. */
let linesDropped = 0;

/** Writes to stderr, synchronously, so that the last line before an exit is not lost. A line that cannot be written must not end what it tells of. */
const stderrOrNothing = {
  write(line: string): void {
    const bytes = Buffer.from(line);
    const wait = new Int32Array(new SharedArrayBuffer(4));
    for (let written = 0, attempt = 0; written < bytes.length && attempt < WRITE_ATTEMPTS;) {
      try {
        written += writeSync(2, bytes, written);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") break;
        attempt += 1;
        Atomics.wait(wait, 0, 0, 1);
        continue;
      }
      if (written === bytes.length) return;
    }
    linesDropped += 1;
  },
};

/** Log lines that could not be written since the process started. */
export function droppedLogLines(): number {
  return linesDropped;
}

/** A logger that writes JSON lines to stderr. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: ["token", "authorization", "password"] },
    stderrOrNothing,
  );
}

/** For parts that run without a log, such as one-shot commands. */
export const silentLogger: Logger = pino({ level: "silent" });
