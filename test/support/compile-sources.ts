import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** Translates rooms of `src/` into `folder`, file by file and unchecked, so that a test can run parts of them in a process of their own. */
export async function compileRooms(folder: string, rooms: readonly string[]): Promise<void> {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    rewriteRelativeImportExtensions: true,
    verbatimModuleSyntax: true,
  };
  for (const room of rooms) {
    const from = join(REPOSITORY, "src", room);
    await mkdir(join(folder, room), { recursive: true });
    for (const name of await readdir(from)) {
      if (!name.endsWith(".ts")) continue;
      const { outputText } = ts.transpileModule(await readFile(join(from, name), "utf8"), { compilerOptions });
      await writeFile(join(folder, room, name.replace(/\.ts$/, ".js")), outputText);
    }
  }
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await symlink(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
}
