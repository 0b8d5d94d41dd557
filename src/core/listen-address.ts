import { isIPv4 } from "node:net";
import { LISTEN_PATH_MAX_BYTES } from "./limits.ts";
import { formatSocketAddress, parseSocketAddress, type SocketAddress } from "./socket-address.ts";

/** A Unix domain socket by its absolute path. */
export interface UnixAddress {
  readonly path: string;
}

/** Where a server may listen. */
export type ListenAddress = SocketAddress | UnixAddress;

const UNIX_SCHEME = "unix:";

/** Reads `IP:PORT` or `unix:/PATH`; null where the text is neither. */
export function parseListenAddress(text: string): ListenAddress | null {
  if (!text.startsWith(UNIX_SCHEME)) return parseSocketAddress(text);
  const path = text.slice(UNIX_SCHEME.length);
  const fits = path.startsWith("/") && !path.endsWith("/") && !path.includes("\0") && Buffer.byteLength(path) <= LISTEN_PATH_MAX_BYTES;
  return fits ? { path } : null;
}

export function formatListenAddress(address: ListenAddress): string {
  return "path" in address ? `${UNIX_SCHEME}${address.path}` : formatSocketAddress(address);
}

/** Whether only programs of this machine can reach an address of the IP family. */
export function isLoopback({ host }: SocketAddress): boolean {
  const inner = host.toLowerCase().replace(/^::ffff:/, "");
  return isIPv4(inner) ? inner.startsWith("127.") : inner === "::1" || inner === "0:0:0:0:0:0:0:1";
}
