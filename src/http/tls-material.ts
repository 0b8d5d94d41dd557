import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { messageOf, ZonemeterError } from "../core/index.ts";

/** The files of a server's TLS, PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Whose client certificates count; null where none do. */
  readonly clientCa: string | null;
}

/** What was read from them, known to go together. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly clientCa: Buffer | null;
}

/** Reads and checks the files. Throws ZonemeterError `config` with one sentence that names the file; nothing of a key is shown. */
export async function readTls(files: TlsFiles): Promise<TlsMaterial> {
  const [cert, key, clientCa] = await Promise.all([
    readPem("certificate", files.cert),
    readPem("key", files.key),
    files.clientCa === null ? null : readPem("client authority", files.clientCa),
  ]);
  checkCertificate("certificate", files.cert, cert);
  if (clientCa !== null) checkCertificate("client authority", files.clientCa!, clientCa);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ZonemeterError(
      "config",
      `The TLS key "${files.key}" cannot be used with the certificate "${files.cert}" (${messageOf(error)}): give the unencrypted PEM key of that certificate.`,
      { cause: error },
    );
  }
  return { cert, key, clientCa };
}

/** What Node's TLS servers take. Clients without a certificate are let through to show a token instead. */
export function secureOptions({ cert, key, clientCa }: TlsMaterial): {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
  readonly requestCert: boolean;
  readonly rejectUnauthorized: false;
  readonly minVersion: "TLSv1.2";
} {
  const common = { cert, key, requestCert: clientCa !== null, rejectUnauthorized: false, minVersion: "TLSv1.2" } as const;
  return clientCa === null ? common : { ...common, ca: clientCa };
}

async function readPem(what: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new ZonemeterError("config", `The TLS ${what} "${file}" cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

function checkCertificate(what: string, file: string, pem: Buffer): void {
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw new ZonemeterError("config", `The TLS ${what} "${file}" holds no PEM certificate (${messageOf(error)}): name a file that does.`, {
      cause: error,
    });
  }
}
