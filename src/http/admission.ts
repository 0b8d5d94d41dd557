import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { Principal } from "../core/index.ts";
import type { Authenticator } from "./authenticator.ts";
import { tooMany, type Failure } from "./failure.ts";
import type { RateLimiter } from "./rate-limiter.ts";

export const DENIAL_REASONS = ["no_credentials", "wrong_credentials", "forbidden", "foreign_host", "rate_limit"] as const;
export type DenialReason = (typeof DENIAL_REASONS)[number];

/** Who may send requests to a server. */
export interface AdmissionOptions {
  /** Tells who asks; or the principal that everybody is who can reach a listener of this machine alone. */
  readonly who: Authenticator | Principal;
  /** Whether a principal may use this server at all. */
  readonly admits: (principal: Principal) => boolean;
  /** Paths whose GET needs no credentials. */
  readonly openPaths: readonly string[];
  /** For principals who showed who they are; local ones are bounded by what the server has in hand. */
  readonly rate: RateLimiter | null;
}

export interface Denial {
  readonly failure: Failure;
  readonly headers: Readonly<Record<string, string>>;
}

const CHALLENGE = 'Bearer realm="zonemeter"';

/**
 * Decides on a request before anything but its headers has been looked at: what it asks for has no part in the answer, so a denial tells
 * nothing about what there is.
 */
export class Admission {
  readonly denied = new Map<DenialReason, bigint>(DENIAL_REASONS.map((reason) => [reason, 0n]));
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** The principal, null on an open path, or how to refuse. */
  admit(request: IncomingMessage): Principal | null | Denial {
    const { who, admits, openPaths, rate } = this.#options;
    if (request.method === "GET" && openPaths.includes(request.url!.split("?", 1)[0]!)) return null;
    if (!("identify" in who)) return isLocalHost(request) ? who : this.#deny("foreign_host", FOREIGN_HOST);
    const principal = who.identify(request);
    if (principal === "missing") return this.#deny("no_credentials", UNAUTHORIZED, { "www-authenticate": CHALLENGE });
    if (principal === "invalid") {
      return this.#deny("wrong_credentials", UNAUTHORIZED, { "www-authenticate": `${CHALLENGE}, error="invalid_token"` });
    }
    const waitSeconds = rate?.take(principal.name) ?? 0;
    if (waitSeconds > 0) {
      const message = `More than ${rate!.perSecond} requests per second came from one principal: ask again in ${waitSeconds} s.`;
      return this.#deny("rate_limit", { ...tooMany(message, 429), retryAfterSeconds: waitSeconds });
    }
    return admits(principal) ? principal : this.#deny("forbidden", FORBIDDEN);
  }

  #deny(reason: DenialReason, failure: Failure, headers: Record<string, string> = {}): Denial {
    this.denied.set(reason, this.denied.get(reason)! + 1n);
    return { failure: { ...failure, reason }, headers };
  }
}

/** Upstream's words. */
const UNAUTHORIZED: Failure = { status: 401, errorCode: "Unauthorized", message: "credentials missing or invalid", reason: null };
const FORBIDDEN: Failure = { status: 403, errorCode: "Forbidden", message: "Forbidden", reason: null };
const FOREIGN_HOST: Failure = {
  status: 403,
  errorCode: "Forbidden",
  message: "Without tokens this server answers only for localhost and IP addresses: name one of these in the URL.",
  reason: null,
};

/**
 * A page of another site can make a browser on this machine call us under that site's name (DNS rebinding) and read the answer. Such calls
 * carry the site's name in `Host`; ours carry an address, `localhost`, or nothing.
 */
function isLocalHost({ headers: { host }, socket }: IncomingMessage): boolean {
  if (host === undefined || host === "" || socket.remoteAddress === undefined) return true;
  const name = host.toLowerCase().replace(/:\d*$/, "");
  return isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0 || name === "localhost" || name.endsWith(".localhost");
}
