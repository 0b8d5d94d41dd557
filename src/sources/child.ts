import { ZonemeterError } from "../core/index.ts";
import { startChild, type ChildEnd } from "./child-process.ts";

export interface ChildSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** Time until it must have ended, all its output read. */
  readonly deadlineMs: number;
  /** More stdout than this ends it. */
  readonly maxStdoutBytes: number;
  /** Ends it early. */
  readonly signal?: AbortSignal;
  /** Takes stdout as it comes, instead of the result. Must not throw. */
  readonly onStdout?: (chunk: Buffer) => void;
}

export interface ChildResult extends ChildEnd {
  readonly stdout: Buffer;
  /** What it printed to stderr, the first part of it if that was a lot. */
  readonly stderr: string;
}

/**
 * Runs a command to its end. Resolves whatever its exit status is. Rejects with `unavailable` where it cannot be started, was not done at its
 * deadline, or `signal` fired; with `limit` where it printed too much. In every case the child and all that it forked are gone then, and its pipes closed.
 */
export async function runChild(spec: ChildSpec): Promise<ChildResult> {
  const { command, deadlineMs, maxStdoutBytes, signal, onStdout } = spec;
  if (signal?.aborted === true) throw stopped(command, signal);
  const child = await startChild(command, spec.args);
  let failure: ZonemeterError | null = null;
  const fail = (error: ZonemeterError): void => {
    failure ??= error;
    child.stop();
  };
  const chunks: Buffer[] = [];
  const take = (chunk: Buffer): void => void chunks.push(chunk);
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    if (failure !== null) return;
    bytes += chunk.length;
    if (bytes <= maxStdoutBytes) (onStdout ?? take)(chunk);
    else fail(new ZonemeterError("limit", `${command} printed more than ${maxStdoutBytes} bytes and was stopped.`));
  });
  const timer = setTimeout(
    () => fail(new ZonemeterError("unavailable", `${command} did not finish within ${deadlineMs} ms and was stopped.`)),
    deadlineMs,
  );
  const onAbort = (): void => fail(stopped(command, signal!));
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const end = await child.ended;
    if (failure !== null) throw failure as ZonemeterError;
    return { ...end, stdout: Buffer.concat(chunks), stderr: child.stderr() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function stopped(command: string, signal: AbortSignal): ZonemeterError {
  return new ZonemeterError("unavailable", `${command} was stopped before it had finished.`, { cause: signal.reason });
}

/** How a child ended, for a sentence: `with status 1`, `by SIGKILL`. */
export function describeEnd({ exitCode, signal }: ChildEnd): string {
  return signal === null ? `with status ${exitCode}` : `by ${signal}`;
}
