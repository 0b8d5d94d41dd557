import { expect, it } from "vitest";
import { ZonemeterError } from "../../src/core/index.ts";
import { complete, parse, plan, print, printPlan } from "../../src/oxql/index.ts";
import { FERRIES, NOW_NS } from "./ferry-catalogue.ts";
import { mutated, Random, randomText } from "./random-text.ts";

/** Random texts to try; a tenth as many mutated queries. A million of them is the long run. */
const RUNS = Number(process.env.ZONEMETER_FUZZ_RUNS ?? 20_000);
const SEED = Number(process.env.ZONEMETER_FUZZ_SEED ?? Date.now() % 1_000_000_007);

it(`does nothing worse than refuse a random text (seed ${SEED})`, { timeout: 3_600_000 }, () => {
  const random = new Random(SEED);
  for (let run = 0; run < RUNS; run++) tryText(randomText(random), random);
});

it(`does nothing worse than refuse a mutated query (seed ${SEED})`, { timeout: 3_600_000 }, () => {
  const random = new Random(SEED + 1);
  let accepted = 0;
  for (let run = 0; run < RUNS / 10; run++) accepted += Number(tryText(mutated(random), random));
  // Most mutations break a query, but with all of them broken little of the language would have been tried.
  expect(accepted).toBeGreaterThan(RUNS / 400);
});

/** True where the text is a query. Whatever is not a refusal fails the test, with the text in the message. */
function tryText(text: string, random: Random): boolean {
  try {
    complete(text, random.below(text.length + 1), FERRIES);
    const query = parse(text, { nowNs: NOW_NS });
    const printed = print(query);
    if (Buffer.byteLength(printed) <= 4_096 && print(parse(printed, { nowNs: NOW_NS })) !== printed)
      throw new Error("printing it is not a fixed point");
    try {
      printPlan(plan(query, FERRIES));
    } catch (error) {
      requireRefusal(error);
    }
    return true;
  } catch (error) {
    try {
      requireRefusal(error);
    } catch (defect) {
      throw new Error(`on ${JSON.stringify(text)}`, { cause: defect });
    }
    return false;
  }
}

function requireRefusal(error: unknown): void {
  if (!(error instanceof ZonemeterError) || error.code !== "query" || error.kind === null) throw error;
}
