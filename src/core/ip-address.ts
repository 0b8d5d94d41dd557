/**
 * Bytes of an IP address in network order: 4 for `10.0.0.1`, 16 for `fd00::1`. An IPv4-mapped text such as `::ffff:10.0.0.1` stays an
 * IPv6 address of 16 bytes. Null where the text is no address; a zone (`%eth0`), a port and a prefix length are no part of one.
 */
export function parseIpAddress(text: string): Uint8Array | null {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Uint8Array | null {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  const bytes = new Uint8Array(4);
  for (const [i, part] of parts.entries()) {
    // No leading zeros: some readers would take them for octal.
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return null;
    bytes[i] = Number(part);
  }
  return bytes;
}

function parseIpv6(text: string): Uint8Array | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const head = groupBytes(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? groupBytes(halves[1]!, true) : [];
  if (head === null || tail === null) return null;
  const length = head.length + tail.length;
  // `::` stands for one group of zeros or more.
  if (halves.length === 1 ? length !== 16 : length > 14) return null;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

/** Bytes of colon-separated groups; the last one may be a dotted IPv4 address where these groups end the text. */
function groupBytes(text: string, endsAddress: boolean): number[] | null {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [i, group] of groups.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
      continue;
    }
    const dotted = endsAddress && i === groups.length - 1 ? parseIpv4(group) : null;
    if (dotted === null) return null;
    bytes.push(...dotted);
  }
  return bytes;
}
