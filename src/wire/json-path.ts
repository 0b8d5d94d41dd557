const QUOTE = 0x22;
const BACKSLASH = 0x5c;

interface Frame {
  readonly array: boolean;
  index: number;
  key: string;
  /** In an object: the next string is a key. */
  atKey: boolean;
}

/**
 * The path, such as `$[0].info[3].metric`, of the value that is read at `offset`. Made from the text before it, once an error has been
 * found, so that reading itself need not keep track.
 */
export function jsonPathAt(bytes: Buffer, offset: number): string {
  const frames: Frame[] = [];
  for (let i = 0; i < offset; i++) {
    const byte = bytes[i];
    const top = frames.at(-1);
    if (byte === 0x7b || byte === 0x5b) frames.push({ array: byte === 0x5b, index: 0, key: "", atKey: byte === 0x7b });
    else if (byte === 0x7d || byte === 0x5d) frames.pop();
    else if (byte === 0x2c && top !== undefined) {
      top.index += 1;
      top.atKey = !top.array;
    } else if (byte === QUOTE) {
      const start = i + 1;
      for (i = start; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i += 1;
      if (top?.atKey === true && i < offset) {
        top.key = bytes.toString("utf8", start, i);
        top.atKey = false;
      }
    }
  }
  let path = "$";
  for (const frame of frames) {
    if (frame.array) path += `[${frame.index}]`;
    else if (!frame.atKey) path += /^[A-Za-z_][A-Za-z0-9_]*$/.test(frame.key) ? `.${frame.key}` : `[${JSON.stringify(frame.key)}]`;
  }
  return path;
}

/** The value at `offset` as it stands in the text, cut to what fits a sentence. */
export function jsonExcerpt(bytes: Buffer, offset: number): string {
  if (offset >= bytes.length) return "the end of the text";
  const text = bytes.toString("utf8", offset, Math.min(bytes.length, offset + 200));
  const value = /^(?:"(?:[^"\\]|\\.)*"|[-+.\w]+|.)/s.exec(text)?.[0] ?? text;
  return value.length > 60 ? `${value.slice(0, 60)}…` : value;
}
