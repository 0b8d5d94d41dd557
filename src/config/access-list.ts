import type { Principal, Project } from "../core/index.ts";

/** Who may ask an API, as a token file says it. */
export interface AccessList {
  readonly tokens: readonly TokenEntry[];
  readonly certificates: readonly CertificateEntry[];
  readonly projects: readonly Project[];
}

/** A token by its SHA-256: whoever reads the file learns no token from it. */
export interface TokenEntry {
  readonly sha256: Uint8Array;
  readonly principal: Principal;
}

/** A client certificate by the common name of its subject. */
export interface CertificateEntry {
  readonly commonName: string;
  readonly principal: Principal;
}
