import type { JsonScanner } from "./json-scanner.ts";

/** The names of a tagged object: `tag` says what `content` is. */
export interface TaggedShape {
  readonly tag: string;
  readonly content: string;
  readonly expected: string;
}

/**
 * Reads an object such as `{"type": "u64", "value": 3}`, whose one key says how to read the other. Where the content comes first it is
 * read again once the tag is known. `readContent` gets null where the content is absent.
 */
export function readTagged<T>(
  scanner: JsonScanner,
  shape: TaggedShape,
  readContent: (scanner: JsonScanner, tag: string, absent: boolean) => T,
): T {
  const start = scanner.pos;
  let tag: string | undefined;
  let contentAt = -1;
  let value: T | undefined;
  for (let key = scanner.firstKey(shape.expected); key !== null; key = scanner.nextKey()) {
    if (key === shape.tag) {
      if (tag !== undefined) scanner.fail(start, `${shape.expected} with one "${shape.tag}"`);
      tag = scanner.string(`the name of a ${shape.tag}`);
    } else if (key === shape.content) {
      if (contentAt !== -1) scanner.fail(start, `${shape.expected} with one "${shape.content}"`);
      contentAt = scanner.pos;
      if (tag === undefined) scanner.skipValue();
      else value = readContent(scanner, tag, false);
    } else scanner.skipValue();
  }
  if (tag === undefined) return scanner.fail(start, `${shape.expected} with "${shape.tag}"`);
  if (value !== undefined) return value;
  const end = scanner.pos;
  scanner.pos = contentAt === -1 ? start : contentAt;
  value = readContent(scanner, tag, contentAt === -1);
  scanner.pos = end;
  return value;
}
