import { open } from "node:fs/promises";

const CHUNK_BYTES = 1 << 20;

/** The lines of a text file, without its first line. */
export async function* linesOf(path) {
  const file = await open(path);
  try {
    let rest = "";
    let first = true;
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      // The files are ASCII, so no character is cut.
      const lines = (rest + buffer.latin1Slice(0, bytesRead)).split("\n");
      rest = lines.pop();
      if (first) lines.shift();
      first = false;
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    await file.close();
  }
}

/** One line of a sled's truth. Counters and bytes stay text until they are needed, since counters pass 2^53. */
export function rowOf(line) {
  const [ts, , zone, zoneType, , bootTs, userNs, sysNs, waitrqNs, rssBytes, virtBytes] = line.split(",");
  return { ts: Number(ts), zone, zoneType, bootTs: Number(bootTs), userNs, sysNs, waitrqNs, rssBytes, virtBytes };
}

/** Rows of a sled, one array for each time, in order. */
export async function* snapshotsOf(path) {
  let rows = [];
  for await (const line of linesOf(path)) {
    const row = rowOf(line);
    if (rows.length > 0 && rows[0].ts !== row.ts) {
      yield rows;
      rows = [];
    }
    rows.push(row);
  }
  if (rows.length > 0) yield rows;
}
