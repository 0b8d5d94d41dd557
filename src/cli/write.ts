import { once } from "node:events";

/** Writes pieces to a stream one after another, waiting where the reader is slower, so that a large answer is not held twice. */
export async function writeAll(stream: NodeJS.WritableStream, pieces: Iterable<string>): Promise<void> {
  let pending = "";
  for (const piece of pieces) {
    pending += piece;
    if (pending.length < 65_536) continue;
    if (!stream.write(pending)) await once(stream, "drain");
    pending = "";
  }
  if (pending !== "" && !stream.write(pending)) await once(stream, "drain");
}
