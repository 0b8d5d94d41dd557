import type { CommanderError } from "commander";

/** What commander found wrong with a command line, in one sentence that names what was written and what to write. */
export function usageSentence({ code, message }: CommanderError): string {
  const text = message.replace(/^error: /, "");
  const quoted = [...text.matchAll(/'([^']*)'/g)].map(([, word]) => word!);
  const [first = "", second = ""] = quoted;
  switch (code) {
    case "commander.help":
      return "A command is missing; --help lists them.";
    case "commander.excessArguments": {
      const [, expected, got] = /Expected (\d+) arguments? but got (\d+)/.exec(text)!;
      const takes = expected === "0" ? "no argument" : expected === "1" ? "1 argument" : `${expected} arguments`;
      return `The command ${first} takes ${takes} and got ${got}: put what has spaces in quotes, and see ${first} --help.`;
    }
    case "commander.missingArgument":
      return `The argument ${first} is missing; --help says what it is.`;
    case "commander.optionMissingArgument":
      return `${first} needs its value.`;
    case "commander.missingMandatoryOptionValue":
      return `${first} is missing; --help says what it is.`;
    case "commander.invalidArgument": {
      const choices = /Allowed choices are (.*)\.$/.exec(text)?.[1];
      return choices === undefined ? text : `${first.split(" ")[0]} ${JSON.stringify(second)} is not one of ${choices}.`;
    }
    default: {
      // A second line asks whether something near was meant.
      const guess = /\(Did you mean (?:one of )?(.*)\?\)$/.exec(text)?.[1];
      const what = text.split("\n")[0]!;
      return guess === undefined ? `${what}; --help lists what there is.` : `${what}: did you mean ${guess}?`;
    }
  }
}
