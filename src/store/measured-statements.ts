import { randomUUID } from "node:crypto";
import type { StatementSummary } from "../oxql/index.ts";
import type { Engine } from "./engine.ts";

/** Statements with what the engine read for each; those that do not have it yet are run again, one after another. */
export async function measuredStatements(
  engine: Engine,
  statements: readonly StatementSummary[],
  signal: AbortSignal,
): Promise<StatementSummary[]> {
  const measured: StatementSummary[] = [];
  for (const statement of statements) {
    if (statement.rowsRead !== null) {
      measured.push(statement);
      continue;
    }
    const { rows, bytes } = await engine.measure({ id: randomUUID(), text: statement.text, signal });
    measured.push({ ...statement, rowsRead: rows, bytesRead: bytes });
  }
  return measured;
}
