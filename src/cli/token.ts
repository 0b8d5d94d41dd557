import { Option } from "commander";
import { PRINCIPAL_KINDS, ZonemeterError, type PrincipalKind } from "../core/index.ts";
import { newToken } from "../http/index.ts";
import type { CommandContext, CommandDefinition } from "./command.ts";
import { writeAll } from "./write.ts";

interface NewTokenFlags {
  readonly name: string;
  readonly principal: PrincipalKind;
  readonly silo?: string;
  readonly project?: readonly string[];
}

/** `zonemeter token new` */
export const tokenCommand: CommandDefinition = {
  define(program, run) {
    program
      .command("token")
      .description("make tokens for the APIs")
      .command("new")
      .description("print a fresh token, once, and the lines for the token file that let it in")
      .requiredOption("--name <name>", "what the log calls whoever shows it")
      .addOption(new Option("--principal <principal>", "what it may read").choices(PRINCIPAL_KINDS).makeOptionMandatory())
      .option("--silo <silo>", "with silo_viewer: its silo, by name or id")
      .option("--project <project>", "with project_viewer: a project, by name or id (repeatable)", (value: string, before?: string[]) => [
        ...(before ?? []),
        value,
      ])
      .action((flags: NewTokenFlags) => run((context) => makeToken(flags, context)));
  },
};

async function makeToken({ name, principal, silo, project }: NewTokenFlags, { stdout }: CommandContext): Promise<number> {
  if (!/^[^\p{C}"\\]{1,64}$/u.test(name)) {
    throw new ZonemeterError("usage", `--name ${JSON.stringify(name)} is not 1 to 64 printable characters without quotes and backslashes.`);
  }
  checkBelongs("--silo", silo !== undefined, "silo_viewer", principal);
  checkBelongs("--project", project !== undefined, "project_viewer", principal);
  const { token, sha256 } = newToken();
  const lines = [
    "[[token]]",
    `name = ${JSON.stringify(name)}`,
    `principal = ${JSON.stringify(principal)}`,
    ...(silo === undefined ? [] : [`silo = ${JSON.stringify(silo)}`]),
    ...(project === undefined ? [] : [`projects = [${project.map((each) => JSON.stringify(each)).join(", ")}]`]),
    `sha256 = "${sha256}"`,
  ];
  await writeAll(stdout, [`${token}\n\n${lines.join("\n")}\n`]);
  return 0;
}

function checkBelongs(flag: string, given: boolean, owner: PrincipalKind, principal: PrincipalKind): void {
  if (given && principal !== owner) throw new ZonemeterError("usage", `${flag} is for --principal ${owner}, not ${principal}.`);
  if (!given && principal === owner) throw new ZonemeterError("usage", `--principal ${owner} needs ${flag}.`);
}
