import { afterEach, describe, expect, it } from "vitest";
import { fetchProducers } from "../../src/collector/producer-list.ts";
import { addCollector, endpoint, post, startTestNexus, uuid } from "../support/nexus.ts";
import { answer, cut, failure, hang, scriptedNexus, type ScriptedNexus, type Step } from "../support/scripted-nexus.ts";

const ID = uuid(0xc0);
const never = new AbortController().signal;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});
async function nexusOf(...steps: Step[]): Promise<ScriptedNexus> {
  const nexus = await scriptedNexus(...steps);
  closers.push(nexus.stop);
  return nexus;
}

const item = (number: number, changes: object = {}): object => ({
  id: uuid(number),
  kind: "service",
  address: `127.0.0.1:${1_000 + number}`,
  interval: { secs: 10, nanos: 0 },
  ...changes,
});
const page = (items: object[], next?: string | null): Step => answer(200, { items, ...(next === undefined ? {} : { next_page: next }) });

describe("the list of producers", () => {
  it("is empty where nothing has registered, and whole where something has", async () => {
    const nexus = await startTestNexus();
    closers.push(nexus.stop);
    await addCollector(nexus, ID);
    expect(await fetchProducers(nexus.nexus.address, ID, never)).toEqual({ producers: [], unusable: [], truncated: false });
    await post(nexus, endpoint(2));
    await post(nexus, endpoint(1, { interval: { secs: 18446744073709551615n, nanos: 3 } }));
    expect(await fetchProducers(nexus.nexus.address, ID, never)).toEqual({
      producers: [endpoint(1, { interval: { secs: 18446744073709551615n, nanos: 3 } }), endpoint(2)],
      unusable: [],
      truncated: false,
    });
  });

  it("is read page by page, however the last one is told", async () => {
    for (const last of [page([item(3)]), page([item(3)], null)]) {
      const urls: (string | undefined)[] = [];
      const nexus = await nexusOf(
        (request, response) => {
          urls.push(request.url);
          page([item(1), item(2)], "t o/k")(request, response);
        },
        (request, response) => {
          urls.push(request.url);
          last(request, response);
        },
      );
      expect((await fetchProducers(nexus.address, ID, never)).producers).toEqual([endpoint(1), endpoint(2), endpoint(3)]);
      expect(urls).toEqual([
        `/metrics/collectors/${ID}/producers?limit=1000`,
        `/metrics/collectors/${ID}/producers?limit=1000&page_token=t+o%2Fk`,
      ]);
    }
  });

  it("ends with an empty page, as upstream's servers give a token with every other", async () => {
    const nexus = await nexusOf(page([item(1)], "a"), page([item(2)], "b"), page([], "c"), failure(500, "asked too often"));
    expect((await fetchProducers(nexus.address, ID, never)).producers).toEqual([endpoint(1), endpoint(2)]);
  });

  it.each<[string, Step]>([
    ["an error", failure(500, "Internal Server Error")],
    ["a refusal", failure(400, "bad token")],
    ["garbage", answer(200, "[")],
    ["an item of another shape", page([{ id: uuid(2) }])],
    ["a cut connection", cut],
  ])("is abandoned on %s, on whichever page", async (_name, step) => {
    await expect(fetchProducers((await nexusOf(step)).address, ID, never)).rejects.toHaveProperty("name", "ZonemeterError");
    await expect(fetchProducers((await nexusOf(page([item(1)], "a"), step)).address, ID, never)).rejects.toHaveProperty(
      "name",
      "ZonemeterError",
    );
  });

  it("leaves out what cannot be collected from, and says why", async () => {
    const nexus = await nexusOf(
      page([item(1), item(2, { interval: { secs: 0, nanos: 0 } }), item(3, { address: "sled:80" }), item(4, { address: "127.0.0.1:0" })]),
    );
    expect(await fetchProducers(nexus.address, ID, never)).toEqual({
      producers: [endpoint(1)],
      unusable: [
        `Producer ${uuid(2)} is not collected from: its interval is zero.`,
        `Producer ${uuid(3)} is not collected from: its address "sled:80" is not one that can be reached.`,
        `Producer ${uuid(4)} is not collected from: its address "127.0.0.1:0" is not one that can be reached.`,
      ],
      truncated: false,
    });
  });

  it("ends at 10000 producers, also where Nexus never ends", async () => {
    let next = 0;
    const nexus = await nexusOf((request, response) => {
      const items = Array.from({ length: 1_000 }, () => item((next += 1)));
      page(items, "more")(request, response);
    });
    const list = await fetchProducers(nexus.address, ID, never);
    expect(list.producers).toHaveLength(10_000);
    expect(list.truncated).toBe(true);
    expect(nexus.bodies).toHaveLength(11);
  });

  it("is given up when the caller says so", async () => {
    const controller = new AbortController();
    const nexus = await nexusOf((request, response) => {
      hang(request, response);
      controller.abort(new Error("enough"));
    });
    await expect(fetchProducers(nexus.address, ID, controller.signal)).rejects.toThrow("enough");
  });
});
