/** Ports of `zonemeter up`, counted from its port base; Nexus is at the base itself, as on a rack. */
export const DEFAULT_PORT_BASE = 12_221;
export const COLLECTOR_PORT_OFFSET = 2;
export const OPERATOR_API_PORT_OFFSET = 60;
export const CUSTOMER_API_PORT_OFFSET = 61;

export const LOOPBACK = "127.0.0.1";
export const DEFAULT_OPERATOR_URL = `http://${LOOPBACK}:${DEFAULT_PORT_BASE + OPERATOR_API_PORT_OFFSET}`;
export const DEFAULT_CUSTOMER_URL = `http://${LOOPBACK}:${DEFAULT_PORT_BASE + CUSTOMER_API_PORT_OFFSET}`;
