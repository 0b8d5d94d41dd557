import { ZonemeterError } from "../core/index.ts";
import { readResultJson, type Table } from "../oxql/index.ts";
import type { ApiConnection } from "./api-connection.ts";

export interface QueryRequest {
  readonly project?: string;
  readonly summaries?: true;
}

/** Sends the query and gives the body of a 200 answer as text. */
export async function askQuery(
  api: ApiConnection,
  query: string,
  { project, summaries }: QueryRequest,
  signal: AbortSignal,
): Promise<string> {
  const path = project === undefined ? "/v1/system/timeseries/query" : `/v1/timeseries/query?project=${encodeURIComponent(project)}`;
  const { status, text } = await api.post(path, { query, ...(summaries === true ? { include_summaries: true } : {}) }, signal);
  if (status === 200) return text;
  const message = errorMessage(text) ?? `${api.name} answered with status ${status}.`;
  switch (status) {
    case 401:
      throw new ZonemeterError(
        "unauthorized",
        `${api.name} does not know who asks (${message}): give a token that it knows with --token-file or $ZONEMETER_TOKEN.`,
      );
    case 403:
      throw new ZonemeterError("forbidden", `${api.name} refuses (${message}): ask with another token, or another API with --as.`);
    case 404:
      throw new ZonemeterError(
        "not_found",
        project === undefined ? `${api.name} has no such path: is it another program?` : `There is no project ${JSON.stringify(project)}.`,
      );
    default:
      throw new ZonemeterError(status >= 500 || status === 429 ? "unavailable" : "query", message);
  }
}

/** The tables of an answer, also where only its text is printed: what another program says is no data. */
export function readAnswer(body: string, name: string): Table[] {
  try {
    return readResultJson(body);
  } catch (error) {
    throw new ZonemeterError("unavailable", `${name} answered, but not with the result of a query: is it another program?`, {
      cause: error,
    });
  }
}

/** The message of a Dropshot error body, or null where the text is none. */
function errorMessage(text: string): string | null {
  try {
    const body = JSON.parse(text) as { message?: unknown };
    return typeof body.message === "string" ? body.message : null;
  } catch {
    return null;
  }
}
