/** IPv4 and IPv6 addresses, in the forms that OxQL literals and Rust's `IpAddr` have. Pure text to bytes and back. */

/** 4 or 16 bytes of an address in any usual text form without zone or prefix, or null where the text is none. */
export function ipAddressBytes(text: string): Uint8Array | null {
  if (!text.includes(":")) return ipv4Bytes(text);
  let rest = text;
  const bytes = new Uint8Array(16);
  let groupsWanted = 8;
  if (rest.includes(".")) {
    const colon = rest.lastIndexOf(":");
    const tail = ipv4Bytes(rest.slice(colon + 1));
    if (tail === null) return null;
    bytes.set(tail, 12);
    groupsWanted = 6;
    rest = rest.slice(0, rest[colon - 1] === ":" ? colon + 1 : colon);
  }
  const halves = rest.split("::");
  if (halves.length > 2) return null;
  const head = groups(halves[0]!);
  const tail = halves.length === 2 ? groups(halves[1]!) : [];
  if (head === null || tail === null) return null;
  // `::` stands for at least one group of zeros.
  if (halves.length === 1 ? head.length !== groupsWanted : head.length + tail.length >= groupsWanted) return null;
  head.forEach((group, index) => putGroup(bytes, index, group));
  tail.forEach((group, index) => putGroup(bytes, groupsWanted - tail.length + index, group));
  return bytes;
}

/** The text Rust prints for the address: RFC 5952, with a dotted quad only for IPv4-mapped ones. */
export function formatIpAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped ? `::ffff:${bytes.subarray(12).join(".")}` : formatIpv6Groups(bytes);
}

/** RFC 5952 without dotted quads, the only IPv6 form that an OxQL literal may have. */
export function formatIpv6Groups(bytes: Uint8Array): string {
  const values = Array.from({ length: 8 }, (_, index) => bytes[2 * index]! * 256 + bytes[2 * index + 1]!);
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && values[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = values.map((value) => value.toString(16));
  if (best.start === -1) return hex.join(":");
  return `${hex.slice(0, best.start).join(":")}::${hex.slice(best.start + best.length).join(":")}`;
}

function ipv4Bytes(text: string): Uint8Array | null {
  const parts = text.split(".");
  if (parts.length !== 4 || parts.some((part) => !/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255)) return null;
  return Uint8Array.from(parts, Number);
}

function groups(text: string): number[] | null {
  if (text === "") return [];
  const parts = text.split(":");
  return parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part)) ? parts.map((part) => Number.parseInt(part, 16)) : null;
}

function putGroup(bytes: Uint8Array, index: number, group: number): void {
  bytes[2 * index] = group >> 8;
  bytes[2 * index + 1] = group & 0xff;
}
