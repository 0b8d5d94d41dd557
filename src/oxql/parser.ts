import {
  REDUCERS,
  type Align,
  type Get,
  type Group,
  type GroupBy,
  type Join,
  type Limit,
  type Operation,
  type Query,
  type Rank,
  type Reducer,
} from "./ast.ts";
import { readArithmetic } from "./arithmetic-parser.ts";
import { requireUpstreamGrammar, type Dialect } from "./dialect.ts";
import { readFilterExpression } from "./filter-parser.ts";
import { Scanner } from "./lexer.ts";
import { readDuration, takeInteger } from "./literals.ts";
import { withPlace } from "./query-error.ts";
import { ALIGN_METHODS, OPERATION_WORDS } from "./words.ts";

export interface ParseOptions {
  /** The clock as read once for this query, what `@now()` and clock-only timestamps are taken from. */
  readonly nowNs: bigint;
  /** The default is `zonemeter`, the whole language. */
  readonly dialect?: Dialect;
}

/**
 * Reads a query. Throws ZonemeterError `query`, kind `parse` (or `too_complex` where it nests too deep), with the place, the line
 * and what was expected.
 */
export function parse(text: string, options: ParseOptions): Query {
  return withPlace(text, () => {
    const parser = new Parser(new Scanner(text, options.nowNs));
    const query = parser.whole(() => parser.query());
    if (options.dialect === "upstream") requireUpstreamGrammar(query.operations);
    return query;
  });
}

/** Reads one operation alone, such as `last 2`. */
export function parseOperation(text: string, options: ParseOptions): Operation {
  return withPlace(text, () => {
    const parser = new Parser(new Scanner(text, options.nowNs));
    const operation = parser.whole(() => parser.operation(false));
    if (options.dialect === "upstream") requireUpstreamGrammar([operation]);
    return operation;
  });
}

/**
 * Recursive descent: a method per rule, its grammar above it. `_` is one or more blanks, `~` any number. Each method starts at the
 * first character of its rule and stops behind its last.
 */
export class Parser {
  /** The pipelines that are being read, outermost first, each with its operations so far: what completion works from. */
  readonly open: Operation[][] = [];
  /** The pipeline that was finished last. */
  last: readonly Operation[] = [];
  readonly #scanner: Scanner;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  /** The whole text must be consumed. */
  whole<T>(read: () => T): T {
    const result = read();
    this.#scanner.blanks();
    if (!this.#scanner.atEnd) this.#scanner.fail("the end of the query");
    return result;
  }

  /** `query = op ( ~ "|" ~ op )*`, the first a get or a group, none of the others one. */
  query(): Query {
    const scanner = this.#scanner;
    const start = scanner.offset;
    const operations: Operation[] = [];
    this.open.push(operations);
    operations.push(this.operation(true));
    for (;;) {
      scanner.blanks();
      if (!scanner.take("|")) break;
      scanner.blanks();
      operations.push(this.operation(false));
    }
    this.open.pop();
    this.last = operations;
    return { kind: "query", operations, text: scanner.text, position: scanner.positionFrom(start) };
  }

  /** `op = group / get / filter / align / groupby / join / limit`, and superset `rank / map` */
  operation(first: boolean): Operation {
    const scanner = this.#scanner;
    const start = scanner.offset;
    const word = scanner.match(/[a-z_]+/y)?.[0] ?? scanner.match(/\{/y)?.[0];
    if (first && word !== undefined && word !== "get" && word !== "{" && OPERATION_WORDS.some((known) => known === word)) {
      scanner.refuse(`A query begins with get or with a group in braces, not with ${word}.`, start, word.length);
    }
    if (!first && (word === "get" || word === "{")) {
      const what = word === "get" ? "get" : "A group";
      scanner.refuse(`${what} may only stand first in a query: to use several timeseries, write { get a:b; get c:d }.`, start, word.length);
    }
    switch (word) {
      case "{":
        return this.#group(start);
      case "get":
        return this.#get(start);
      case "filter":
        scanner.demandBlank();
        return { kind: "filter", expression: readFilterExpression(scanner), position: scanner.positionFrom(start) };
      case "align":
        return this.#align(start);
      case "group_by":
        return this.#groupBy(start);
      case "join":
        return this.#join(start);
      case "first":
      case "last":
        return this.#limit(start, word);
      case "top":
      case "bottom":
        return this.#rank(start, word);
      case "map":
        scanner.demandBlank();
        return { kind: "map", expression: readArithmetic(scanner), position: scanner.positionFrom(start) };
      default:
        scanner.offset = start;
        if (!first) return scanner.fail("an operation");
        scanner.expect('"get"');
        return scanner.fail('"{"');
    }
  }

  /** `group = "{" ~ query ( ~ ";" ~ query )* ~ "}"` */
  #group(start: number): Group {
    const scanner = this.#scanner;
    return scanner.nested(() => {
      const queries: Query[] = [];
      do {
        scanner.blanks();
        queries.push(this.query());
        scanner.blanks();
      } while (scanner.take(";"));
      scanner.demand("}");
      return { kind: "group", queries, position: scanner.positionFrom(start) };
    });
  }

  /** `get = "get" _ ident ":" ident`, no blanks round the colon. */
  #get(start: number): Get {
    const scanner = this.#scanner;
    scanner.demandBlank();
    const target = scanner.identifier("a timeseries name");
    scanner.demand(":");
    const metric = scanner.identifier("a timeseries name");
    return { kind: "get", timeseriesName: `${target}:${metric}`, position: scanner.positionFrom(start) };
  }

  /** `align = "align" _ method "(" duration ")"`, `method = "mean_within" / "interpolate"`, superset `"rate"`; no blanks inside. */
  #align(start: number): Align {
    const scanner = this.#scanner;
    scanner.demandBlank();
    const method = this.#oneOf(ALIGN_METHODS, "an alignment method");
    scanner.demand("(");
    const periodNs = readDuration(scanner);
    scanner.demand(")");
    return { kind: "align", method, periodNs, position: scanner.positionFrom(start) };
  }

  /**
   * `groupby = "group_by" _ "[" ~ [ ident ( ~ "," ~ ident )* ] [ "," ] ~ "]" [ "," ~ reducer ]`, so a trailing comma touches the last
   * name and the comma before the reducer touches the bracket.
   */
  #groupBy(start: number): GroupBy {
    const scanner = this.#scanner;
    scanner.demandBlank();
    const fields = this.#fieldList();
    let reducer: Reducer = "mean";
    if (scanner.take(",")) {
      scanner.blanks();
      reducer = this.#oneOf(REDUCERS, "a reducer");
    }
    return { kind: "group_by", fields, reducer, position: scanner.positionFrom(start) };
  }

  /** `"[" ~ [ ident ( ~ "," ~ ident )* ] [ "," ] ~ "]"` */
  #fieldList(): string[] {
    const scanner = this.#scanner;
    scanner.demand("[");
    scanner.blanks();
    const fields: string[] = [];
    if (scanner.peek(/[,\]]/y) !== null) {
      scanner.expect("a field name");
      scanner.take(",");
    } else {
      fields.push(scanner.identifier("a field name"));
      while (scanner.match(/[ \t\n]*,[ \t\n]*(?=[a-z])/y) !== null) fields.push(scanner.identifier("a field name"));
      if (scanner.take(",")) {
        scanner.blanks();
        scanner.expect("a field name");
      }
    }
    scanner.blanks();
    scanner.demand("]");
    return fields;
  }

  /** `join = "join"`, superset `"join" _ "on" ~ "[" fields "]"` */
  #join(start: number): Join {
    const scanner = this.#scanner;
    let on: string[] | null = null;
    if (scanner.blanks() && scanner.takeWord("on")) {
      scanner.blanks();
      on = this.#fieldList();
    }
    return { kind: "join", on, position: scanner.positionFrom(start) };
  }

  /** `limit = ( "first" / "last" ) _ integer`, the integer 1 or more. */
  #limit(start: number, end: "first" | "last"): Limit {
    this.#scanner.demandBlank();
    return { kind: "limit", end, count: this.#count(), position: this.#scanner.positionFrom(start) };
  }

  /** Superset: `rank = ( "top" / "bottom" ) _ integer [ _ "by" _ reducer ]`; the reducer defaults to `mean`. */
  #rank(start: number, end: "top" | "bottom"): Rank {
    const scanner = this.#scanner;
    scanner.demandBlank();
    const count = this.#count();
    let reducer: Reducer = "mean";
    if (scanner.blanks() && scanner.takeWord("by")) {
      scanner.demandBlank();
      reducer = this.#oneOf(REDUCERS, "a reducer");
    }
    return { kind: "rank", end, count, reducer, position: scanner.positionFrom(start) };
  }

  /** No table has more points than a double counts exactly, so a larger count means the same as that one. */
  #count(): number {
    const scanner = this.#scanner;
    const start = scanner.offset;
    const value = takeInteger(scanner);
    if (value === null) {
      const tooLarge = scanner.peek(/\d{20,}(?![.\deE])/y);
      if (tooLarge !== null) scanner.refuse("The count does not fit 64 bits.", start, tooLarge[0].length);
      return scanner.fail("a whole number");
    }
    if (value < 1n) scanner.refuse(`The count is ${value}: it must be 1 or more.`, start, scanner.offset - start);
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
  }

  #oneOf<T extends string>(words: readonly T[], label: "a reducer" | "an alignment method"): T {
    const scanner = this.#scanner;
    const written = scanner.peek(/\w+/y)?.[0];
    const word = words.find((candidate) => candidate === written);
    if (word === undefined) return scanner.fail(label);
    scanner.advance(word.length);
    return word;
  }
}
