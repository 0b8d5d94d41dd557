/** The header in which clients of versioned APIs name the version they were made for. */
export const API_VERSION_HEADER = "api-version";

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-.]+)?$/;

/**
 * What is wrong with a request's `api-version` for a server whose newest version is `latest`, or null. Upstream's servers refuse a request
 * without one, one that is no semantic version, and one that is newer than they are; the words are theirs.
 */
export function apiVersionFault(header: string | string[] | undefined, latest: string): string | null {
  if (header === undefined) return `missing expected header "${API_VERSION_HEADER}"`;
  const text = Array.isArray(header) ? header.join(", ") : header;
  const asked = SEMVER.exec(text);
  if (asked === null)
    return `bad value for header "${API_VERSION_HEADER}": it must be a semantic version such as ${latest}: ${text.slice(0, 80)}`;
  return isNewer(asked, SEMVER.exec(latest)!) ? `server does not support this API version: ${text}` : null;
}

function isNewer(asked: RegExpExecArray, latest: RegExpExecArray): boolean {
  for (const part of [1, 2, 3]) {
    const difference = BigInt(asked[part]!) - BigInt(latest[part]!);
    if (difference !== 0n) return difference > 0n;
  }
  // Of equal numbers a pre-release comes before the release; our own latest is never a pre-release.
  return false;
}
