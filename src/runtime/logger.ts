import { pino, type Logger as PinoLogger } from "pino";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
export type Logger = Pick<PinoLogger, "debug" | "info" | "warn" | "error"> & { child(bindings: Record<string, unknown>): Logger };

/** A logger that writes JSON lines to stderr, synchronously, so that the last line before an exit is not lost. */
export function createLogger(level: LogLevel): Logger {
  const destination = pino.destination({ fd: 2, sync: true });
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: ["token", "authorization", "password"] }, destination);
}

/** For parts that run without a log, such as one-shot commands. */
export const silentLogger: Logger = pino({ level: "silent" });
