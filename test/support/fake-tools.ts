import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Shell scripts that stand for tools of another system: put first on PATH for the tests that use them. */
export class FakeTools {
  readonly folder = mkdtempSync(join(tmpdir(), "zonemeter-tools-"));
  readonly #path = process.env["PATH"];

  constructor() {
    process.env["PATH"] = `${this.folder}:${this.#path}`;
  }

  /** `$HERE` in the script is the tools' folder. */
  script(name: string, body: string): void {
    const path = join(this.folder, name);
    writeFileSync(path, `#!/bin/sh\nHERE='${this.folder}'\n${body}\n`);
    chmodSync(path, 0o755);
  }

  /** A text beside the scripts, for them to print. */
  text(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  remove(): void {
    process.env["PATH"] = this.#path;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
