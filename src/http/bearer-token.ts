import { createHash, randomBytes } from "node:crypto";

const PREFIX = "zonemeter_";
const SECRET_BYTES = 32;
const TOKEN = /^zonemeter_[A-Za-z0-9_-]{43}$/;

/** A token and what a token file holds of it. */
export interface NewToken {
  readonly token: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * Makes a token: 256 random bits behind a prefix that scanners for leaked secrets can know. SHA-256 is enough to keep it by, since nobody can
 * try 2^256 texts; a slow hash, which passwords need, would only make every request dear.
 */
export function newToken(): NewToken {
  const token = `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64url")}`;
  return { token, sha256: hashToken(token).toString("hex") };
}

/** Whether a text has the form of our tokens. No other is looked up, so that a hash of a guessable word in the file lets nobody in. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The token of an `Authorization` header; null where it is of another scheme or form. */
export function bearerToken(header: string): string | null {
  const token = /^bearer +([\x21-\x7e]+)$/i.exec(header.trim())?.[1];
  return token !== undefined && isToken(token) ? token : null;
}
