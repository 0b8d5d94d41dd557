import { messageOf, ZonemeterError } from "../core/index.ts";
import type { Logger } from "../runtime/index.ts";

/**
 * Writes pieces to a stream one after another, waiting where the reader is slower, so that a large answer is not held twice. Throws
 * ZonemeterError `output` where they cannot be written.
 */
export async function writeAll(stream: NodeJS.WritableStream, pieces: Iterable<string>): Promise<void> {
  let pending = "";
  for (const piece of pieces) {
    pending += piece;
    if (pending.length < 65_536) continue;
    await write(stream, pending);
    pending = "";
  }
  if (pending !== "") await write(stream, pending);
}

/** Writes a line of a service, which goes on where nobody can read it. */
export async function announce(stream: NodeJS.WritableStream, line: string, logger: Logger): Promise<void> {
  try {
    await write(stream, `${line}\n`);
  } catch (error) {
    logger.warn({ line, error: messageOf(error) }, "a line could not be written to stdout");
  }
}

function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(outputFault(error)) : resolve()));
  });
}

/** Also what is told where a stream fails after the last piece. */
export function outputFault(error: unknown): ZonemeterError {
  return new ZonemeterError("output", `The output cannot be written: ${messageOf(error)}.`, { cause: error });
}
