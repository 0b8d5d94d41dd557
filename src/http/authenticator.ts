import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { AccessList } from "../config/index.ts";
import type { Principal } from "../core/index.ts";
import { bearerToken, hashToken } from "./bearer-token.ts";

/** Tells by token or client certificate who sends a request. The list may be replaced while requests are served. */
export class Authenticator {
  #list: AccessList;

  constructor(list: AccessList) {
    this.#list = list;
  }

  replace(list: AccessList): void {
    this.#list = list;
  }

  /** A token counts more than a certificate; one that is wrong is not made up for by the other. */
  identify({ headers, socket }: IncomingMessage): Principal | "missing" | "invalid" {
    if (headers.authorization !== undefined) return this.#byToken(headers.authorization) ?? "invalid";
    if (!(socket instanceof TLSSocket) || !socket.authorized) return "missing";
    return this.#byCertificate(socket) ?? "invalid";
  }

  /** Compares with every entry in full, so that the time taken tells nothing about any. */
  #byToken(header: string): Principal | null {
    const token = bearerToken(header);
    if (token === null) return null;
    const hash = hashToken(token);
    let found: Principal | null = null;
    for (const { sha256, principal } of this.#list.tokens) if (timingSafeEqual(sha256, hash)) found = principal;
    return found;
  }

  #byCertificate(socket: TLSSocket): Principal | null {
    // A subject may have several common names; then it is nobody's.
    const commonName: unknown = socket.getPeerCertificate().subject?.CN;
    return this.#list.certificates.find((entry) => entry.commonName === commonName)?.principal ?? null;
  }
}
