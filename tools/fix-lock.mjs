// Adds to package-lock.json the optional packages that a registry left out for other platforms.
//
// `npm install` skips an optional package that its registry does not have and writes a lock without it; `npm ci` then refuses the lock
// ("Missing: … from lock file"). An entry with version, os, cpu and optional is all that `npm ci` asks for. Run after every change of dependencies.
import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));

/** os and cpu of a platform package, read off its name. */
function platformOf(name) {
  const os = ["darwin", "linux", "win32", "freebsd", "openbsd", "netbsd", "android", "sunos", "aix", "openharmony"].find((word) =>
    name.includes(word),
  );
  const cpu = ["arm64", "x64", "ia32", "arm", "ppc64", "riscv64", "s390x", "loong64", "mips64el"].find((word) => name.includes(word));
  return { ...(os ? { os: [os] } : name.includes("windows") ? { os: ["win32"] } : {}), ...(cpu ? { cpu: [cpu] } : {}) };
}

let added = 0;
for (const [path, entry] of Object.entries({ ...lock.packages })) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${path === "" ? "" : `${path}/`}node_modules/${name}`;
    if (lock.packages[nested] !== undefined || lock.packages[`node_modules/${name}`] !== undefined) continue;
    lock.packages[`node_modules/${name}`] = { version: range.replace(/^[^\d]*/, ""), ...platformOf(name), optional: true };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} entries added\n`);
