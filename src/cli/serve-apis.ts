import { systemClock, type SocketAddress } from "../core/index.ts";
import { loadDocument, startServer, type Server } from "../http/index.ts";
import { customerHandlers, operatorHandlers, QueryService } from "../query/index.ts";
import type { Logger } from "../runtime/index.ts";
import type { Store } from "../store/index.ts";

/** Time that running requests get when a listener is closed. */
export const API_CLOSE_MS = 500;

export interface ApiOptions {
  readonly listen: SocketAddress;
  readonly store: Store;
  readonly logger: Logger;
}

export interface OperatorApiOptions extends ApiOptions {
  /** Why the product cannot answer yet, or null. */
  readonly notReady: () => string | null;
  readonly metrics: () => string;
}

/** Serves the operator API: every timeseries of the store. */
export function serveOperatorApi({ listen, store, logger, notReady, metrics }: OperatorApiOptions): Promise<Server> {
  const service = new QueryService({ principal: "operator", catalogue: store.catalogue, store, clock: systemClock, logger });
  return startServer({
    document: loadDocument("operator-api"),
    handlers: operatorHandlers({ service, store, clock: systemClock, notReady, metrics }),
    host: listen.host,
    port: listen.port,
    name: "the operator API",
    logger,
    apiVersion: "ignored",
  });
}

/** Serves the customer API: only what the schema marks as visible to customers exists there. */
export function serveCustomerApi({ listen, store, logger }: ApiOptions): Promise<Server> {
  const catalogue = store.catalogue.forCustomers();
  const service = new QueryService({ principal: "customer", catalogue, store, clock: systemClock, logger });
  return startServer({
    document: loadDocument("customer-api"),
    handlers: customerHandlers(service),
    host: listen.host,
    port: listen.port,
    name: "the customer API",
    logger,
    apiVersion: "ignored",
  });
}
