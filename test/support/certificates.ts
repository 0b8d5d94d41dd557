import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type CertificateName = "server" | "renewed-server" | "client-dashboard" | "client-nobody" | "client-stranger";

const fileOf = (name: string): string => fileURLToPath(new URL(`certs/${name}`, import.meta.url));

/** The authority that signed the servers' certificates and those of the clients but the stranger's. */
export const AUTHORITY_FILE = fileOf("authority.pem");
export const AUTHORITY = readFileSync(AUTHORITY_FILE);

/** Paths of a certificate and its key. */
export function certificateFiles(name: CertificateName): { readonly cert: string; readonly key: string } {
  return { cert: fileOf(`${name}.pem`), key: fileOf(`${name}.key`) };
}

/** A certificate and its key. */
export function certificate(name: CertificateName): { readonly cert: Buffer; readonly key: Buffer } {
  const { cert, key } = certificateFiles(name);
  return { cert: readFileSync(cert), key: readFileSync(key) };
}
