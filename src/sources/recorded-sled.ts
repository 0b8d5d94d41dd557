import { createHash } from "node:crypto";
import { basename, dirname, resolve } from "node:path";
import { NIL_UUID } from "../core/index.ts";
import type { SledIdentity } from "./source.ts";

/** Names that tell the tool and the day, not the sled: `zonestat-20261120`. */
const GENERIC_NAME = /^(?:zonestat|kstat)(?:[-_.]?\d{4}(?:-?\d\d){0,5})?$/i;
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}$/;

/**
 * The sled that a recording is of: its serial is the file's name without extensions, or its folder's where the file's name tells no sled, and its
 * id is derived from that, so that the same recording is the same sled wherever it is replayed. `given` wins over both.
 */
export function recordedSled(path: string, given: Partial<SledIdentity> = {}): SledIdentity {
  const sledSerial = given.sledSerial ?? serialOf(path);
  return {
    rackId: given.rackId ?? NIL_UUID,
    sledId: given.sledId ?? sledIdOf(sledSerial),
    sledModel: given.sledModel ?? "",
    sledRevision: given.sledRevision ?? 0,
    sledSerial,
  };
}

function serialOf(path: string): string {
  let name = basename(path);
  while (EXTENSION.test(name) && name.replace(EXTENSION, "") !== "") name = name.replace(EXTENSION, "");
  const folder = basename(dirname(resolve(path)));
  return GENERIC_NAME.test(name) && folder !== "" ? folder : name;
}

/** A UUID of version 8 (RFC 9562: contents are ours) made of the SHA-256 of the serial. */
function sledIdOf(serial: string): string {
  const hash = createHash("sha256").update(`zonemeter recorded sled\n${serial}`).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
