import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { NIL_UUID } from "../core/index.ts";
import type { SledIdentity } from "./source.ts";

/** Namespace of the ids derived here; never change it, or every sled gets a new id. */
const SLED_NAMESPACE = "9d2f6c1e-5b0a-5c52-8f7e-3a4d1b6e0c77";

export interface SledIdentityOptions {
  /** What the configuration says; wins over what the machine says. */
  readonly configured?: Partial<SledIdentity>;
  /** Prefix of /etc, for a host seen from a container. */
  readonly hostRoot?: string;
  readonly hostName?: string;
}

/**
 * Who this machine is where the configuration does not say. The id is derived from /etc/machine-id (which by its manual page must not be
 * published itself), else from the host name: stable over restarts of agent and machine. The serial number is the host name; model, revision and
 * rack are only known to whoever wrote the configuration.
 */
export async function localSledIdentity(options: SledIdentityOptions = {}): Promise<SledIdentity> {
  const { configured = {}, hostRoot = "/", hostName = hostname() } = options;
  return {
    rackId: configured.rackId ?? NIL_UUID,
    sledId: configured.sledId ?? sledIdFrom((await machineId(hostRoot)) ?? `host:${hostName}`),
    sledModel: configured.sledModel ?? "",
    sledRevision: configured.sledRevision ?? 0,
    sledSerial: configured.sledSerial ?? hostName,
  };
}

/** The machine id, or null where there is none yet: images carry an empty file or `uninitialized` until their first boot. */
async function machineId(hostRoot: string): Promise<string | null> {
  try {
    const text = (await readFile(join(hostRoot, "etc/machine-id"), "latin1")).trim();
    return /^[0-9a-f]{32}$/.test(text) && !/^0+$/.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** A name-based UUID (RFC 9562, version 5). */
function sledIdFrom(name: string): string {
  const hash = createHash("sha1")
    .update(Buffer.from(SLED_NAMESPACE.replaceAll("-", ""), "hex"))
    .update(name)
    .digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
