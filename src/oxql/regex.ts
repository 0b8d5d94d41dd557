import { compileProgram, type Program } from "./regex-program.ts";
import { parseRegex } from "./regex-syntax.ts";

/** States of the automaton that are kept at a time; beyond it all are forgotten and found again. */
const MAX_STATES = 1_000;

/** What stood before the place the automaton is at, as far as assertions ask. */
const START = 0;
const NEWLINE = 1;
const WORD_CHAR = 2;
const OTHER = 3;

/** A set of steps the automaton may be in, and what stood before. `next[class]` is filled in when first needed. */
interface State {
  readonly steps: readonly number[];
  readonly before: number;
  readonly next: (State | null | undefined)[];
}

/**
 * Compiles an unanchored search for a pattern of `parseRegex`'s syntax, with RE2's meaning: over code points, `.` any character but
 * newline, `$` only at the end of the text. The answer takes time linear in the text whatever the pattern: an automaton runs, nothing is
 * tried and taken back. Throws `type_mismatch`, with the place within the pattern, where it is not one.
 */
export function compileRegex(pattern: string): (text: string) => boolean {
  const automaton = new Automaton(compileProgram(parseRegex(pattern)));
  return (text) => automaton.finds(text);
}

class Automaton {
  readonly #program: Program;
  readonly #endClass: number;
  readonly #classKinds: Uint8Array;
  readonly #asciiClasses: Uint16Array;
  #states = new Map<string, State>();

  constructor(program: Program) {
    this.#program = program;
    this.#endClass = program.boundaries.length;
    this.#classKinds = Uint8Array.from(program.boundaries, (start) => {
      if (start === 10) return NEWLINE;
      return start < 128 && /\w/.test(String.fromCharCode(start)) ? WORD_CHAR : OTHER;
    });
    this.#asciiClasses = Uint16Array.from({ length: 128 }, (_, code) => this.#searchClass(code));
  }

  finds(text: string): boolean {
    let state: State | null = this.#state([], START);
    for (let at = 0; at <= text.length; at++) {
      let classIndex = this.#endClass;
      if (at < text.length) {
        const code = text.codePointAt(at)!;
        if (code > 0xffff) at++;
        classIndex = code < 128 ? this.#asciiClasses[code]! : this.#searchClass(code);
      }
      const next: State | null | undefined = state.next[classIndex];
      state = next === undefined ? (state.next[classIndex] = this.#follow(state, classIndex)) : next;
      if (state === null) return true;
    }
    return false;
  }

  /** The state after a character of the class (or the end), null where the pattern was found before it. The search may start anywhere. */
  #follow(state: State, classIndex: number): State | null {
    const { steps } = this.#program;
    const after = classIndex === this.#endClass ? START : this.#classKinds[classIndex]!;
    const seen = new Uint8Array(steps.length);
    const reached: number[] = [];
    const open = [...state.steps, 0];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen[index] === 1) continue;
      seen[index] = 1;
      const step = steps[index]!;
      if (step.kind === "hit") return null;
      if (step.kind === "fork") open.push(step.a, step.b);
      else if (step.kind === "assert") {
        if (holds(step.what, state.before, after)) open.push(index + 1);
      } else if (step.accepts[classIndex] === 1) reached.push(index + 1);
    }
    return this.#state(
      reached.sort((a, b) => a - b),
      after,
    );
  }

  #state(steps: readonly number[], before: number): State {
    const key = `${before}:${steps.join()}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      if (this.#states.size >= MAX_STATES) this.#states = new Map();
      state = { steps, before, next: [] };
      this.#states.set(key, state);
    }
    return state;
  }

  /** The last class that begins at or before the code point. */
  #searchClass(code: number): number {
    const { boundaries } = this.#program;
    let low = 0;
    let high = boundaries.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (boundaries[middle]! <= code) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** `before` and `after` are START where the text begins or ends. */
function holds(
  what: "text_start" | "text_end" | "line_start" | "line_end" | "word_edge" | "no_word_edge",
  before: number,
  after: number,
): boolean {
  switch (what) {
    case "text_start":
      return before === START;
    case "text_end":
      return after === START;
    case "line_start":
      return before === START || before === NEWLINE;
    case "line_end":
      return after === START || after === NEWLINE;
    case "word_edge":
      return (before === WORD_CHAR) !== (after === WORD_CHAR);
    case "no_word_edge":
      return (before === WORD_CHAR) === (after === WORD_CHAR);
  }
}
