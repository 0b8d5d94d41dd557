import { REGEX_MAX_DEPTH, REGEX_MAX_REPEAT } from "../core/index.ts";
import { caseVariants, escapeClass, posixClass, type CharRange } from "./regex-classes.ts";
import { queryError } from "./query-error.ts";

/** The tree of a pattern. Greedy and lazy repetition match the same texts, so it is not kept. */
export type RegexNode =
  | { readonly kind: "class"; readonly ranges: readonly CharRange[]; readonly negated: boolean }
  | { readonly kind: "assert"; readonly what: "text_start" | "text_end" | "line_start" | "line_end" | "word_edge" | "no_word_edge" }
  | { readonly kind: "sequence" | "alternatives"; readonly parts: readonly RegexNode[] }
  | { readonly kind: "repeat"; readonly operand: RegexNode; readonly min: number; readonly max: number | null };

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/**
 * Reads a pattern of the syntax that RE2 and Rust's regex read alike:
 * ```
 * alternatives = sequence ( "|" sequence )*
 * sequence     = ( atom [ repeat [ "?" ] ] )*
 * repeat       = "*" / "+" / "?" / "{" n [ "," [ n ] ] "}"
 * atom         = char / "." / "^" / "$" / "(" [ "?:" / "?P<" name ">" / "?" flags ":" ] alternatives ")" / "(?" flags ")"
 *              / "[" [ "^" ] ( char [ "-" char ] / "\d" etc. / "[:alpha:]" etc. )+ "]"
 *              / "\" ( d D w W s S b B A z f n r t v xHH x{H} / punctuation )
 * flags        = ( i / m / s )* [ "-" ( i / m / s )* ]
 * ```
 * `\d \w \s \b` are of ASCII. Left out, since the engines differ or lack them: look-around, back references, `\p`, octal, `{` as itself,
 * class arithmetic. Throws `type_mismatch` with the place within the pattern.
 */
export function parseRegex(pattern: string): RegexNode {
  return new RegexReader(pattern).whole();
}

const ESCAPED_CONTROLS: Readonly<Record<string, string>> = { f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

class RegexReader {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;
  #flags: Flags = { i: false, m: false, s: false };

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  whole(): RegexNode {
    const node = this.#alternatives();
    if (this.#at < this.#pattern.length) this.#refuse("this parenthesis closes nothing: write \\)", 1);
    return node;
  }

  #alternatives(): RegexNode {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { kind: "alternatives", parts };
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#next)) {
      const atom = this.#atom();
      if (atom !== null) parts.push(this.#repeated(atom));
    }
    return { kind: "sequence", parts };
  }

  #repeated(operand: RegexNode): RegexNode {
    const counts = this.#repeat();
    if (counts === null) return operand;
    this.#take("?");
    const again = this.#at;
    if (this.#repeat() !== null) {
      this.#at = again;
      this.#refuse("a repetition cannot be repeated: put it in parentheses", 1);
    }
    return { kind: "repeat", operand, ...counts };
  }

  #repeat(): { min: number; max: number | null } | null {
    if (this.#take("*")) return { min: 0, max: null };
    if (this.#take("+")) return { min: 1, max: null };
    if (this.#take("?")) return { min: 0, max: 1 };
    if (this.#next !== "{") return null;
    const match = this.#match(/\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/y);
    if (match === null) this.#refuse("a count is written {2}, {2,} or {2,5}: write \\{ for the brace itself", 1);
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === undefined ? null : Number(match[3]);
    if (min > REGEX_MAX_REPEAT || (max ?? 0) > REGEX_MAX_REPEAT)
      this.#refuse(`a count may be at most ${REGEX_MAX_REPEAT}`, match[0].length, match[0].length);
    if (max !== null && max < min) this.#refuse("the second count is below the first", match[0].length, match[0].length);
    return { min, max };
  }

  /** Null for a group that only sets flags. */
  #atom(): RegexNode | null {
    const char = this.#next;
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escape();
      case ".":
        this.#at++;
        return { kind: "class", ranges: this.#flags.s ? [] : [[10, 10]], negated: true };
      case "^":
        this.#at++;
        return { kind: "assert", what: this.#flags.m ? "line_start" : "text_start" };
      case "$":
        this.#at++;
        return { kind: "assert", what: this.#flags.m ? "line_end" : "text_end" };
      case "*":
      case "+":
      case "?":
        return this.#refuse(`${char} has nothing to repeat: write \\${char} for the character itself`, 1);
      case "{":
        return this.#refuse("write \\{ for the brace itself", 1);
      default:
        return this.#literal(this.#codePoint());
    }
  }

  #group(): RegexNode | null {
    const start = this.#at;
    const outer = this.#flags;
    this.#at++;
    if (this.#match(/\?P<[A-Za-z_]\w*>/y) === null && this.#take("?")) {
      const flags = this.#match(/([ims]*)(?:-([ims]+))?([:)])/y);
      if (flags === null || flags[0] === ")") {
        this.#at = start;
        this.#refuse("the database's engine has no look-around, and no such group", 2);
      }
      const set = (flag: string) => !flags[2]?.includes(flag) && (flags[1]!.includes(flag) || outer[flag as keyof Flags]);
      this.#flags = { i: set("i"), m: set("m"), s: set("s") };
      if (flags[3] === ")") return null;
    }
    if (++this.#depth > REGEX_MAX_DEPTH) this.#refuse(`groups nest deeper than ${REGEX_MAX_DEPTH} levels`, 1);
    const inner = this.#alternatives();
    if (!this.#take(")")) {
      this.#at = start;
      this.#refuse("this parenthesis is not closed: write \\( for the character itself", 1);
    }
    this.#depth--;
    this.#flags = outer;
    return inner;
  }

  #class(): RegexNode {
    const start = this.#at;
    this.#at++;
    const negated = this.#take("^");
    const ranges: CharRange[] = [];
    for (let first = true; first || this.#next !== "]"; first = false) {
      if (this.#at >= this.#pattern.length) {
        this.#at = start;
        this.#refuse("this bracket is not closed: write \\[ for the character itself", 1);
      }
      this.#classItem(ranges);
    }
    this.#at++;
    return { kind: "class", ranges: this.#flags.i ? ranges.flatMap(caseVariants) : ranges, negated };
  }

  #classItem(ranges: CharRange[]): void {
    const posix = this.#match(/\[:(\^?)(\w+):\]/y);
    if (posix !== null) {
      const named = posixClass(posix[2]!, posix[1] === "^");
      if (named === null) this.#refuse(`there is no class ${posix[0]}`, posix[0].length, posix[0].length);
      ranges.push(...named);
      return;
    }
    if (this.#next === "[") this.#refuse("write \\[ for a bracket within brackets", 1);
    if (this.#match(/&&|--|~~/y) !== null) this.#refuse("classes cannot be combined: write the character once, with a backslash", 2, 2);
    const shorthand = this.#match(/\\([dDwWsS])/y);
    if (shorthand !== null) {
      ranges.push(...escapeClass(shorthand[1]!));
      if (this.#next === "-" && this.#pattern[this.#at + 1] !== "]") this.#refuse("a range needs a character at each end", 1);
      return;
    }
    const from = this.#classChar();
    if (this.#next !== "-" || this.#pattern[this.#at + 1] === "]" || this.#at + 1 >= this.#pattern.length) {
      ranges.push([from, from]);
      return;
    }
    const rangeAt = this.#at;
    this.#at++;
    if (/^(?:\[:|\\[dDwWsS])/.test(this.#pattern.slice(this.#at, this.#at + 2))) this.#refuse("a range needs a character at each end", 1);
    const to = this.#classChar();
    if (to < from) {
      this.#at = rangeAt;
      this.#refuse("the range ends before it begins", 1);
    }
    ranges.push([from, to]);
  }

  #classChar(): number {
    return this.#next === "\\" ? this.#escapedChar() : this.#codePoint();
  }

  #escape(): RegexNode {
    const letter = this.#pattern[this.#at + 1] ?? "";
    const taken = this.#match(/\\[dDwWsSbBAz]/y);
    if (taken === null) return this.#literal(this.#escapedChar());
    switch (letter) {
      case "b":
        return { kind: "assert", what: "word_edge" };
      case "B":
        return { kind: "assert", what: "no_word_edge" };
      case "A":
        return { kind: "assert", what: "text_start" };
      case "z":
        return { kind: "assert", what: "text_end" };
      default:
        return { kind: "class", ranges: escapeClass(letter), negated: false };
    }
  }

  #escapedChar(): number {
    const hex = this.#match(/\\x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/y);
    if (hex !== null) {
      const code = Number.parseInt(hex[1] ?? hex[2]!, 16);
      if (code > 0x10ffff) this.#refuse("no such character", hex[0].length, hex[0].length);
      return code;
    }
    const letter = this.#pattern[this.#at + 1];
    if (letter === undefined) this.#refuse("the pattern ends within an escape: write \\\\ for a backslash", 1);
    const control = ESCAPED_CONTROLS[letter];
    if (control === undefined && !/[!-/:-@[-`{-~]/.test(letter)) {
      this.#refuse(`there is no escape \\${letter}${/[1-9k]/.test(letter) ? ", and no back references" : ""}`, 2);
    }
    this.#at += 2;
    return (control ?? letter).charCodeAt(0);
  }

  #literal(code: number): RegexNode {
    const range: CharRange = [code, code];
    return { kind: "class", ranges: this.#flags.i ? caseVariants(range) : [range], negated: false };
  }

  #codePoint(): number {
    const code = this.#pattern.codePointAt(this.#at)!;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  get #next(): string {
    return this.#pattern[this.#at] ?? "";
  }

  #take(char: string): boolean {
    if (this.#next !== char) return false;
    this.#at++;
    return true;
  }

  #match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#pattern);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  /** `back`: how far before the reader's place the bad part begins. */
  #refuse(why: string, length: number, back = 0): never {
    const offset = this.#at - back;
    const shown = this.#pattern.length > 60 ? `${this.#pattern.slice(0, 60)}…` : this.#pattern;
    throw queryError("type_mismatch", `"${shown}" is not a regular expression: ${why}.`, { offset, length, line: 1, column: offset + 1 });
  }
}
