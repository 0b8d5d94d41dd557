// Proves that the rooms of src/ keep apart: who imports whom, and who may touch what. Prints `file:line: text` for each breach; exit 1 on any.
//
//   node tools/check-imports.mjs [FOLDER THAT HOLDS src/]
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

/** Rooms and their levels. A room imports rooms of lower levels only, so rooms of one level never see each other. */
const LEVELS = {
  core: 0,
  schema: 1,
  wire: 1,
  oxql: 1,
  config: 1,
  runtime: 1,
  generated: 1,
  sources: 2,
  store: 2,
  spool: 2,
  http: 2,
  actors: 3,
  producer: 3,
  collector: 3,
  nexus: 3,
  query: 3,
  importer: 3,
  web: 4,
  cli: 4,
  bin: 5,
};

/** Packages (with their subpaths and, after a slash, their scope) that certain rooms alone may import. */
const OWNED_PACKAGES = [
  { pattern: /^(?:@fastify\/|fastify(?:\/|$))/, rooms: ["http"], what: "the HTTP framework" },
  { pattern: /^(?:chdb|@chdb\/[^/]+|@clickhouse\/client[^/]*)(?:\/|$)/, rooms: ["store"], what: "ClickHouse" },
  { pattern: /^(?:node:)?child_process$/, rooms: ["sources", "actors"], what: "other programs" },
];

/** Breaches that are meant. One that nothing needs any more is a breach itself. */
export const EXCEPTIONS = [
  {
    file: "src/bin/zonemeter.ts",
    rule: "environment",
    reason: "hands the environment to the command as a value; config alone gives its variables a meaning",
  },
  {
    file: "src/sources/child-process.ts",
    rule: "environment",
    reason: "hands the whole environment on to the commands it starts, which find their own parts by it; reads no variable",
  },
  {
    file: "src/cli/git-revision.ts",
    rule: "package",
    reason: "`schema diff` compares with a git revision, which git alone can read; it measures nothing, so it is no source",
  },
];

const KERNEL_PATH = /(?:^|[^\w./-])\/(?:proc|sys)(?:\/|$)/;

/**
 * Every breach below `root`/src, in the order of files and lines.
 * @param {string} root
 * @returns {{ file: string, line: number, text: string }[]}
 */
export function checkImports(root, exceptions = EXCEPTIONS) {
  const src = join(root, "src");
  const breaches = [];
  const used = new Set();
  const files = sourceFiles(src);
  for (const path of files) {
    const file = relative(root, path).split(sep).join("/");
    const room = file.split("/")[1];
    const report = (line, rule, text) => {
      const exception = exceptions.find((one) => one.file === file && one.rule === rule);
      if (exception === undefined) breaches.push({ file, line, text });
      else used.add(exception);
    };
    if (file.split("/").length === 2) report(1, "room", "a file of src/ must be in a room");
    else if (!Object.hasOwn(LEVELS, room)) report(1, "room", `"${room}" is no room: the rooms are ${Object.keys(LEVELS).join(", ")}`);
    else checkFile(src, path, room, report);
  }
  for (const exception of exceptions) {
    if (existsSync(join(root, exception.file)) && !used.has(exception)) {
      breaches.push({
        file: exception.file,
        line: 1,
        text: `tools/check-imports.mjs has an exception (${exception.rule}) that this file does not need`,
      });
    }
  }
  return breaches.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
}

function sourceFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path) && !path.endsWith(".d.ts") && statSync(path).isFile())
    .sort();
}

function checkFile(src, path, room, report) {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const visit = (node) => {
    const imported = importedName(node);
    if (imported !== null) {
      const line = lineOf(node);
      if (!ts.isStringLiteralLike(imported))
        report(line, "import", "an import whose name is not a literal cannot be checked: write the name");
      else checkImport(src, path, room, imported.text, (rule, text) => report(line, rule, text));
    }
    checkProcess(node, room, (rule, text) => report(lineOf(node), rule, text));
    if (isText(node) && KERNEL_PATH.test(node.text) && room !== "sources" && room !== "actors") {
      report(lineOf(node), "kernel-path", `"${node.text}": only sources and actors read /proc and /sys`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** The node that names what is imported, in every form there is; null where nothing is. */
function importedName(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier ?? null;
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (!ts.isCallExpression(node) || node.arguments.length === 0) return null;
  const isDynamic = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === "require";
  const isResolve = ts.isPropertyAccessExpression(node.expression) && node.expression.getText() === "require.resolve";
  return isDynamic || isRequire || isResolve ? withoutType(node.arguments[0]) : null;
}

/** `"name" as string` keeps the compiler from looking for the module's types; the name is still there to be checked. */
function withoutType(node) {
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)
    ? withoutType(node.expression)
    : node;
}

function checkImport(src, path, room, name, report) {
  if (!name.startsWith(".")) {
    for (const { pattern, rooms, what } of OWNED_PACKAGES) {
      if (pattern.test(name) && !rooms.includes(room)) report("package", `imports "${name}": only ${rooms.join(" and ")} may know ${what}`);
    }
    if (/^(?:node:)?process$/.test(name)) report("import", `imports "${name}": use the global process, which this check can follow`);
    return;
  }
  const target = resolve(dirname(path), name);
  const parts = relative(src, target).split(sep);
  if (parts[0] === "..") {
    report("import", `imports "${name}", which is outside src/`);
    return;
  }
  if (!name.endsWith(".ts") && !name.endsWith(".json")) report("import", `imports "${name}" without its extension .ts`);
  const other = parts[0];
  if (other === room) return;
  if (parts.length < 2 || !Object.hasOwn(LEVELS, other)) report("import", `imports "${name}", which is in no room`);
  else if (LEVELS[other] >= LEVELS[room]) {
    report("level", `${room} (level ${LEVELS[room]}) imports ${other} (level ${LEVELS[other]}): a room may import lower levels only`);
  } else if (parts.length !== 2 || parts[1] !== "index.ts") {
    report("inside", `imports "${name}", the inside of ${other}: import its index.ts`);
  }
}

function checkProcess(node, room, report) {
  const member = processMember(node);
  if (member === null) return;
  if (member === "env" && room !== "config") report("environment", "reads process.env: only config may");
  if (["exit", "exitCode", "abort", "reallyExit"].includes(member) && room !== "bin")
    report("exit", `uses process.${member}: only bin ends the process`);
}

/** The member of `process` that a node names: `process.env`, `process["env"]` or `const { env } = process`. */
function processMember(node) {
  if (ts.isPropertyAccessExpression(node) && isProcess(node.expression)) return node.name.text;
  if (ts.isElementAccessExpression(node) && isProcess(node.expression) && ts.isStringLiteralLike(node.argumentExpression)) {
    return node.argumentExpression.text;
  }
  if (!ts.isBindingElement(node)) return null;
  const declaration = node.parent.parent;
  const isOfProcess = ts.isVariableDeclaration(declaration) && declaration.initializer !== undefined && isProcess(declaration.initializer);
  return isOfProcess ? (node.propertyName ?? node.name).getText() : null;
}

function isProcess(node) {
  if (ts.isIdentifier(node)) return node.text === "process";
  return ts.isPropertyAccessExpression(node) && node.name.text === "process" && node.expression.getText() === "globalThis";
}

function isText(node) {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node)
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
  const breaches = checkImports(root);
  for (const { file, line, text } of breaches) process.stdout.write(`${file}:${line}: ${text}\n`);
  process.exitCode = breaches.length > 0 ? 1 : 0;
}
