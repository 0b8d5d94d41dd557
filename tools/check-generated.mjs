// Proves that what is generated is current: makes it again at another place and compares. Exit 1 where it differs.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { GENERATED, generateAll, ROOT } from "./generate.mjs";

/** One sentence for each file below `root` that is not what would be generated now. */
export async function staleFiles(root) {
  const fresh = mkdtempSync(join(tmpdir(), "zonemeter-generated-"));
  try {
    await generateAll(fresh);
    return GENERATED.flatMap(({ path }) => {
      const committed = filesBelow(root, path);
      const made = filesBelow(fresh, path);
      const files = [...new Set([...committed.keys(), ...made.keys()])];
      return files.map((file) => [file, compare(committed.get(file), made.get(file))]);
    })
      .filter(([, difference]) => difference !== null)
      .map(([file, difference]) => `${file} ${difference}`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Contents by path from `root`; none where there is nothing at `path`. */
function filesBelow(root, path) {
  const files = new Map();
  const visit = (full) => {
    const stat = statSync(full, { throwIfNoEntry: false });
    if (stat?.isDirectory()) for (const name of readdirSync(full).sort()) visit(join(full, name));
    else if (stat !== undefined) files.set(relative(root, full), readFileSync(full, "utf8"));
  };
  visit(join(root, path));
  return files;
}

function compare(committed, made) {
  if (committed === made) return null;
  if (committed === undefined) return "is missing";
  if (made === undefined) return "is not generated any more";
  const have = committed.split("\n");
  const want = made.split("\n");
  const line = want.findIndex((text, index) => text !== have[index]);
  const at = line === -1 ? want.length : line;
  return `line ${at + 1} is ${JSON.stringify(have[at] ?? "")} and should be ${JSON.stringify(want[at] ?? "")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const stale = await staleFiles(ROOT);
  for (const file of stale) console.error(file);
  if (stale.length > 0) {
    console.error(`${stale.length} generated files are stale: run \`make gen\` and commit what it changes.`);
    process.exitCode = 1;
  }
}
