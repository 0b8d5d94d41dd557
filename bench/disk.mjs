import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../dist/runtime/index.js";
import { openEmbeddedEngine } from "../dist/store/embedded-engine.js";
import { fleetMeta, loadFleet } from "../tools/fleet/load.mjs";
import { hasPeer, loadPeer, Peer } from "./peer.mjs";

/** Bytes that one zone takes for one interval, once all is merged: user, sys, waitrq, resident and reserved memory in full precision. */
export async function disk({ fleet, dataDir, workDir, note }) {
  const { zone_intervals: zoneIntervals } = fleetMeta(fleet);
  if (!existsSync(dataDir)) {
    note("loading the store");
    await loadFleet(fleet, join(dataDir, "store"));
  }
  const engine = await openEmbeddedEngine(join(dataDir, "store"), silentLogger);
  let tables;
  try {
    const ask = async (text) => (await engine.query({ id: text, text, signal: new AbortController().signal })).bytes;
    const names = [
      ...Buffer.from(await ask("SELECT name FROM system.tables WHERE database = 'oximeter_internal'"))
        .toString("latin1")
        .matchAll(/zone_resource_[0-9a-f]{8}(?:_series)?/g),
    ];
    for (const [name] of names) await engine.run(`OPTIMIZE TABLE oximeter_internal.${name} FINAL`);
    const bytes = await ask(
      "SELECT toUInt64(sum(bytes_on_disk)) FROM system.parts WHERE active AND database = 'oximeter_internal' AND table LIKE 'zone_resource%'",
    );
    tables = Number(Buffer.from(bytes).readBigUInt64LE());
  } finally {
    await engine.close();
  }
  return {
    zoneIntervals,
    bytesPerZoneInterval: tables / zoneIntervals,
    peerBytesPerZoneInterval: await peerBytes(fleet, workDir, zoneIntervals, note),
  };
}

async function peerBytes(fleet, workDir, zoneIntervals, note) {
  if (!hasPeer()) return null;
  note("loading the peer");
  const folder = join(workDir, "peer-disk");
  const peer = await Peer.start(folder);
  await loadPeer(peer, fleet, { quantised: false, exact: true });
  await peer.settle();
  await peer.stop();
  const bytes = sizeOf(join(folder, "data"));
  rmSync(folder, { recursive: true });
  return bytes / zoneIntervals;
}

function sizeOf(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
