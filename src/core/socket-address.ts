import { isIPv4, isIPv6 } from "node:net";
import { ZonemeterError } from "./errors.ts";

/** An IP address without brackets, and a port. */
export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `1.2.3.4:80` or `[::1]:80`, the only forms Oximeter's messages know; null where the text is neither. */
export function parseSocketAddress(text: string): SocketAddress | null {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text);
  if (match === null) return null;
  const [, v6, v4, portText] = match;
  const port = Number(portText);
  if (port > 65_535) return null;
  if (v6 !== undefined) return isIPv6(v6) ? { host: v6, port } : null;
  return isIPv4(v4!) ? { host: v4!, port } : null;
}

/** Like parseSocketAddress, but a text that is no address is a usage error; `what` names the value. */
export function requireSocketAddress(text: string, what: string): SocketAddress {
  const address = parseSocketAddress(text);
  if (address === null) {
    throw new ZonemeterError("usage", `${what} "${text}" is not an address: write IP:PORT, such as 127.0.0.1:12221 or [::1]:12221.`);
  }
  return address;
}

/** `host:port`, with brackets around IPv6. */
export function formatSocketAddress({ host, port }: SocketAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
