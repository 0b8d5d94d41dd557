import { systemClock } from "../core/index.ts";
import { DENIAL_REASONS, loadDocument, startListener, type Listener } from "../http/index.ts";
import { customerHandlers, operatorHandlers, QueryService } from "../query/index.ts";
import type { Logger } from "../runtime/index.ts";
import type { Store } from "../store/index.ts";
import { prometheusText } from "../wire/index.ts";
import type { ApiAccess, ApiName } from "./api-access.ts";

/** Time that running requests get when a listener is closed. */
export const API_CLOSE_MS = 500;

export interface ApiOptions {
  readonly access: ApiAccess;
  readonly store: Store;
  readonly logger: Logger;
}

export interface OperatorApiOptions extends ApiOptions {
  /** Why the product cannot answer yet, or null. */
  readonly notReady: () => string | null;
  readonly metrics: () => string;
}

/** Serves the operator API: every timeseries of the store. */
export function serveOperatorApi({ access, store, logger, notReady, metrics }: OperatorApiOptions): Promise<Listener> {
  const service = new QueryService({ audience: "operator", catalogue: store.catalogue, store, clock: systemClock, logger });
  const allMetrics = (): string => `${metrics()}${denialMetrics(access)}`;
  return serve("operator", operatorHandlers({ service, store, clock: systemClock, notReady, metrics: allMetrics }), {
    access,
    store,
    logger,
  });
}

/** Serves the customer API: only what the schema marks as visible to customers exists there. */
export function serveCustomerApi({ access, store, logger }: ApiOptions): Promise<Listener> {
  const catalogue = store.catalogue.forCustomers();
  const service = new QueryService({
    audience: "customer",
    catalogue,
    store: store.forCustomers(),
    clock: systemClock,
    logger,
    projects: access.projects,
  });
  return serve("customer", customerHandlers(service), { access, store, logger });
}

async function serve(name: ApiName, handlers: ReturnType<typeof customerHandlers>, { access, logger }: ApiOptions): Promise<Listener> {
  const listener = await startListener({
    document: loadDocument(`${name}-api`),
    handlers,
    listen: access.listen[name],
    socketMode: access.socketMode,
    tls: access.tls,
    admission: access.admission[name],
    name: `the ${name} API`,
    logger,
    apiVersion: "ignored",
  });
  access.follow(listener);
  return listener;
}

function denialMetrics({ admission }: ApiAccess): string {
  const samples = (["operator", "customer"] as const).flatMap((api) =>
    DENIAL_REASONS.map((reason) => ({ labels: { api, reason }, value: admission[api].denied.get(reason)! })),
  );
  return prometheusText([
    {
      name: "zonemeter_api_requests_denied_total",
      help: "Requests refused before they were looked at, by API and reason.",
      type: "counter",
      samples,
    },
  ]);
}
