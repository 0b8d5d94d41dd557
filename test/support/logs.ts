import type { Logger } from "../../src/runtime/index.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A logger that keeps its lines. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const make = (bindings: Record<string, unknown>): Logger => {
    const write = (level: LogLine["level"]) => (fields: unknown, message?: string) => {
      const own = typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>) : {};
      lines.push({ level, fields: { ...bindings, ...own }, message: message ?? String(fields) });
    };
    return {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      child: (more) => make({ ...bindings, ...more }),
    } as Logger;
  };
  return { logger: make({}), lines };
}
