import type { Project } from "../core/index.ts";
import type { OxqlData, Selection, SelectRequest, WindowData } from "../oxql/index.ts";
import { mayKnow, type Audience } from "./audience.ts";
import { requestWithinProject } from "./project-query.ts";

/** A query got as far as the store with a timeseries that its audience must not know of: a defect, which the wall has stopped. */
export class WallBreach extends Error {
  readonly timeseriesName: string;

  constructor(timeseriesName: string) {
    super(`a query of a customer reached ${timeseriesName}`);
    this.name = "WallBreach";
    this.timeseriesName = timeseriesName;
  }
}

/**
 * The plan's wall: stands right before the store, whatever was planned over whichever catalogue. Rejects with WallBreach. Of what a store can do
 * it offers what is named here and nothing else.
 */
export class GuardedData implements OxqlData {
  /** Offered where the store has it. */
  readonly selectWindows?: WindowData["selectWindows"];
  readonly selectGroups?: WindowData["selectGroups"];
  readonly #data: OxqlData;
  readonly #audience: Audience;
  readonly #project: Project | null;

  constructor(data: OxqlData, audience: Audience, project: Project | null) {
    this.#data = data;
    this.#audience = audience;
    this.#project = project;
    if (data.selectWindows !== undefined)
      this.selectWindows = async (request, signal) => data.selectWindows!(this.#checked(request), signal);
    if (data.selectGroups !== undefined) this.selectGroups = async (request, signal) => data.selectGroups!(this.#checked(request), signal);
  }

  async select(request: SelectRequest, signal: AbortSignal): Promise<Selection> {
    return this.#data.select(this.#checked(request), signal);
  }

  #checked<R extends Pick<SelectRequest, "schema" | "alternatives">>(request: R): R {
    if (!mayKnow(this.#audience, request.schema)) throw new WallBreach(request.schema.timeseriesName);
    return this.#project === null ? request : requestWithinProject(request, this.#project);
  }
}
