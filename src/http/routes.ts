import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../core/index.ts";
import { checkRequest, runHandler } from "./exchange.ts";
import { failureOf, standardFailure, type Failure } from "./failure.ts";
import type { ServerLimits } from "./limits.ts";
import { compileOperations } from "./operations.ts";
import type { ListenerOptions } from "./server.ts";

/** Answers a request with an error body. */
export type Refuse = (failure: Failure, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Who sent a request that was admitted. */
export type PrincipalOf = (request: FastifyRequest) => Principal | null;

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];

/** Makes a route of each operation and page, and answers other methods on their paths with 405. */
export function addRoutes(
  app: FastifyInstance,
  options: Pick<ListenerOptions, "document" | "handlers" | "logger" | "pages">,
  limits: ServerLimits,
  refuse: Refuse,
  principalOf: PrincipalOf,
): void {
  const { document, handlers, logger, pages = {} } = options;
  const methodsByPath = new Map<string, string[]>();
  const add = (path: string, method: string, route: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>): void => {
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), method]);
    app.route({
      method,
      url: path,
      handler: async (request, reply) => {
        try {
          return await route(request, reply);
        } catch (error) {
          if (reply.raw.destroyed) return reply.hijack();
          return refuse(failureOf(error), request, reply);
        }
      },
    });
  };
  const operations = compileOperations(document);
  const surplus = Object.keys(handlers).filter((id) => !operations.some((operation) => operation.operationId === id));
  if (surplus.length > 0) throw new Error(`"${document.info.title}" has no operation ${surplus.join(", ")}`);
  for (const operation of operations) {
    const handler = handlers[operation.operationId];
    if (handler === undefined) throw new Error(`operation ${operation.operationId} of "${document.info.title}" has no handler`);
    add(operation.path.replaceAll(/\{(\w+)\}/g, ":$1"), operation.method.toUpperCase(), async (request, reply) => {
      const checked = checkRequest(operation, request, principalOf(request));
      return "value" in checked ? runHandler(handler, checked.value, reply, limits, logger) : refuse(checked, request, reply);
    });
  }
  for (const [path, handler] of Object.entries(pages)) {
    add(path, "GET", (request, reply) =>
      runHandler(
        handler,
        {
          params: request.params as Record<string, string>,
          query: {},
          body: undefined,
          headers: request.headers,
          requestId: request.id,
          principal: principalOf(request),
        },
        reply,
        limits,
        logger,
      ),
    );
  }
  for (const [path, methods] of methodsByPath) {
    app.route({
      method: METHODS.filter((method) => !methods.includes(method)),
      url: path,
      handler: async (request, reply) => refuse(standardFailure(405), request, reply.header("allow", methods.join(", "))),
    });
  }
}
