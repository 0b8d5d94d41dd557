import { isIPv4 } from "node:net";
import type { Config, SettingName } from "../config/index.ts";
import { formatListenAddress, ZonemeterError, type ListenAddress, type SocketAddress } from "../core/index.ts";
import type { ApiAccess } from "./api-access.ts";
import { COLLECTOR_PORT_OFFSET, LOOPBACK } from "./ports.ts";

/** What a command puts on an address. */
export interface Listening {
  readonly name: string;
  readonly address: ListenAddress;
  /** What to change for another address, as errors call it. */
  readonly setting: string;
}

/** Commands with more than one listener. */
export type ListeningCommand = "up" | "collector" | "api";

/** Where the listeners of a command will be. Throws ZonemeterError `config` where two would have the same address. */
export function listenersOf(
  command: ListeningCommand,
  { api, collector, up }: Pick<Config, "api" | "collector" | "up">,
  { listen }: Pick<ApiAccess, "listen">,
  named: SettingName,
): Listening[] {
  const base = named("up.port_base");
  const at = (offset: number): SocketAddress => ({ host: LOOPBACK, port: up.portBase + offset });
  const own: Record<ListeningCommand, Listening[]> = {
    up: [
      { name: "Nexus", address: at(0), setting: base },
      { name: "the collector", address: at(COLLECTOR_PORT_OFFSET), setting: base },
    ],
    collector: [{ name: "the collector", address: collector.listen, setting: named("collector.listen") }],
    api: [],
  };
  const listeners: Listening[] = [
    ...own[command],
    { name: "the operator API", address: listen.operator, setting: api.operatorListen === null ? base : named("api.operator_listen") },
    { name: "the customer API", address: listen.customer, setting: api.customerListen === null ? base : named("api.customer_listen") },
  ];
  for (const [index, one] of listeners.entries()) {
    const other = listeners.slice(index + 1).find(({ address }) => collide(one.address, address));
    if (other === undefined) continue;
    throw new ZonemeterError(
      "config",
      `\`zonemeter ${command}\` would have ${one.name} on ${formatListenAddress(one.address)} and ${other.name} on ${formatListenAddress(other.address)}, which collide: change ${[...new Set([one.setting, other.setting])].join(" or ")}.`,
    );
  }
  return listeners;
}

/** Whether the system gives both addresses to one process. Port 0 is any free one. */
function collide(a: ListenAddress, b: ListenAddress): boolean {
  if ("path" in a || "path" in b) return "path" in a && "path" in b && a.path === b.path;
  return a.port !== 0 && a.port === b.port && (a.host === b.host || covers(a, b) || covers(b, a));
}

/** `[::]` takes the port of IPv4 too. */
function covers({ host }: SocketAddress, other: SocketAddress): boolean {
  return host === "::" || (host === "0.0.0.0" && isIPv4(other.host));
}
