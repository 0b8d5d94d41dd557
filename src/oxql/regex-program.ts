import { REGEX_MAX_STEPS } from "../core/index.ts";
import { queryError } from "./query-error.ts";
import { LAST_CODE_POINT, WORD, type CharRange } from "./regex-classes.ts";
import type { RegexNode } from "./regex-syntax.ts";

/** Steps of a pattern's automaton; numbers are indexes of other steps. A step goes on to the next one unless it says otherwise. */
export type Step =
  | { readonly kind: "char"; readonly accepts: Uint8Array }
  | { readonly kind: "fork"; a: number; b: number }
  | { readonly kind: "assert"; readonly what: Extract<RegexNode, { kind: "assert" }>["what"] }
  | { readonly kind: "hit" };

/** `boundaries[i]` is where character class i begins; every character of one class is alike to every step. */
export interface Program {
  readonly steps: readonly Step[];
  readonly boundaries: Uint32Array;
}

/** Turns the tree into steps. Throws `type_mismatch` where counted repetition makes more than REGEX_MAX_STEPS of them. */
export function compileProgram(root: RegexNode): Program {
  const boundaries = classBoundaries(root);
  const steps: Step[] = [];
  const push = (step: Step): number => {
    if (steps.length >= REGEX_MAX_STEPS) {
      throw queryError("type_mismatch", `The regular expression takes more than ${REGEX_MAX_STEPS} steps: use smaller counts.`);
    }
    return steps.push(step) - 1;
  };
  const fork = () => steps[push({ kind: "fork", a: steps.length + 1, b: steps.length + 1 })] as Extract<Step, { kind: "fork" }>;
  /** Counted repetition emits a node many times over; its step is the same each time. */
  const charSteps = new Map<RegexNode, Step>();
  const charStep = (node: Extract<RegexNode, { kind: "class" }>): Step => {
    const step = charSteps.get(node) ?? { kind: "char", accepts: accepted(node, boundaries) };
    charSteps.set(node, step);
    return step;
  };
  const emit = (node: RegexNode): void => {
    switch (node.kind) {
      case "class":
        push(charStep(node));
        return;
      case "assert":
        push(node);
        return;
      case "sequence":
        node.parts.forEach(emit);
        return;
      case "alternatives":
        emitAlternatives(node.parts);
        return;
      case "repeat":
        emitRepeat(node);
    }
  };
  const emitAlternatives = (parts: readonly RegexNode[]): void => {
    const ends = parts.slice(0, -1).map((part) => {
      const choice = fork();
      emit(part);
      const end = fork();
      choice.b = steps.length;
      return end;
    });
    emit(parts.at(-1)!);
    for (const end of ends) end.a = end.b = steps.length;
  };
  const emitRepeat = ({ operand, min, max }: Extract<RegexNode, { kind: "repeat" }>): void => {
    for (let count = 0; count < min; count++) {
      const before = steps.length;
      emit(operand);
      // Nothing, however often: nested counts of nothing would otherwise never end.
      if (steps.length === before) return;
    }
    if (max === null) {
      const start = steps.length;
      const choice = fork();
      emit(operand);
      const back = fork();
      back.a = back.b = start;
      choice.b = steps.length;
      return;
    }
    const choices = Array.from({ length: max - min }, () => {
      const choice = fork();
      emit(operand);
      return choice;
    });
    for (const choice of choices) choice.b = steps.length;
  };
  emit(root);
  push({ kind: "hit" });
  return { steps, boundaries };
}

/** Where a class ends another begins. Newline and the word characters are always told apart, for the assertions. */
function classBoundaries(root: RegexNode): Uint32Array {
  const starts = new Set<number>([0]);
  const add = ([first, last]: CharRange) => starts.add(first).add(last + 1);
  const visit = (node: RegexNode): void => {
    if (node.kind === "class") node.ranges.forEach(add);
    else if (node.kind === "repeat") visit(node.operand);
    else if (node.kind !== "assert") node.parts.forEach(visit);
  };
  visit(root);
  WORD.forEach(add);
  add([10, 10]);
  starts.delete(LAST_CODE_POINT + 1);
  return Uint32Array.from(starts).sort();
}

/** By character class: 1 where the step takes it. */
function accepted({ ranges, negated }: Extract<RegexNode, { kind: "class" }>, boundaries: Uint32Array): Uint8Array {
  return Uint8Array.from(boundaries, (start) => Number(ranges.some(([first, last]) => first <= start && start <= last) !== negated));
}
