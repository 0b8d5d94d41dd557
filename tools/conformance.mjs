// Runs a conformance suite over a folder of cases: `npm run -s conformance -- SUITE DIR`. A suite is a file of tools/conformance/ that
// exports `run(dir, write)`; it writes a line for each case that fails, and why. Ends with `N passed, N failed`; exit 1 on any failure,
// 2 where the suite or the folder is missing. Needs a build in dist/.
import { readdir, readFile, stat } from "node:fs/promises";

const suitesDir = new URL("conformance/", import.meta.url);

/** The other files there are parts that suites share. */
async function suiteNames() {
  const files = (await readdir(suitesDir)).filter((file) => file.endsWith(".mjs")).sort();
  const sources = await Promise.all(files.map((file) => readFile(new URL(file, suitesDir), "utf8")));
  return files.filter((_, index) => /^export async function run\(/m.test(sources[index])).map((file) => file.slice(0, -".mjs".length));
}

async function main([suite, dir, ...rest]) {
  const names = await suiteNames();
  if (suite === undefined || dir === undefined || rest.length > 0)
    return usage(`Usage: npm run -s conformance -- SUITE DIR, with SUITE one of ${names.join(", ")}.`);
  if (!names.includes(suite)) return usage(`There is no suite "${suite}": it is one of ${names.join(", ")}.`);
  const isFolder = await stat(dir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return usage(`"${dir}" is not a folder: name the one that holds the cases.`);
  const { run } = await import(new URL(`${suite}.mjs`, suitesDir).href);
  const { passed, failed } = await run(dir, (line) => console.log(line));
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

function usage(sentence) {
  console.error(sentence);
  return 2;
}

process.exitCode = await main(process.argv.slice(2));
