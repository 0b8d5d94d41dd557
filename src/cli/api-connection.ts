import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { Agent, request } from "undici";
import { isLoopback, messageOf, parseListenAddress, parseSocketAddress, ZonemeterError } from "../core/index.ts";
import { isToken } from "../http/index.ts";
import { withDeadline } from "../runtime/index.ts";
import type { CommandContext } from "./command.ts";
import { DEFAULT_OPERATOR_URL } from "./ports.ts";

/** Time for one call, a little more than the server itself gives a query. */
const CALL_DEADLINE_MS = 35_000;

const URL_VARIABLE = "ZONEMETER_URL";

/** Where the address of an API comes from, or would. */
type UrlOrigin = typeof URL_VARIABLE | "--url";

/** How an API is reached, as flags say it. A token is never one: other users of the machine see arguments. */
export interface ConnectionFlags {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Adds the flags of `ConnectionFlags` to a command. */
export function withConnection(command: Command): Command {
  return command
    .option("--url <url>", `the API to ask: http://, https:// or unix:/PATH (default: $${URL_VARIABLE}, else ${DEFAULT_OPERATOR_URL})`)
    .option("--token-file <file>", "a file that holds the token to show, and nothing else (default: $ZONEMETER_TOKEN)")
    .option("--ca <file>", "certificates to trust instead of the system's, PEM")
    .option("--cert <file>", "the client certificate to show, PEM; with --key")
    .option("--key <file>", "the key of the client certificate, PEM");
}

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

/** One API, and who asks it. */
export class ApiConnection {
  readonly #agent: Agent;
  readonly #origin: string;
  readonly #shown: string;
  /** What to change for another API. */
  readonly #where: UrlOrigin;
  readonly #token: string | null;

  private constructor(agent: Agent, origin: string, shown: string, where: UrlOrigin, token: string | null) {
    this.#agent = agent;
    this.#origin = origin;
    this.#shown = shown;
    this.#where = where;
    this.#token = token;
  }

  /** Reads what the flags name; connects when something is asked. Throws ZonemeterError `usage` for what is wrong with them. */
  static async open(flags: ConnectionFlags, context: CommandContext, fallback: string): Promise<ApiConnection> {
    const inEnvironment = context.env[URL_VARIABLE] || undefined;
    const given = flags.url ?? inEnvironment ?? fallback;
    const where = flags.url === undefined && inEnvironment !== undefined ? URL_VARIABLE : "--url";
    const token = await readToken(flags, context);
    const [ca, cert, key] = await Promise.all([flags.ca, flags.cert, flags.key].map(readPem));
    if ((cert === undefined) !== (key === undefined))
      throw new ZonemeterError("usage", "--cert and --key belong together: give both or neither.");
    const socket = given.startsWith("unix:") ? parseListenAddress(given) : null;
    if (socket !== null && "path" in socket) {
      return new ApiConnection(new Agent({ connect: { socketPath: socket.path } }), "http://localhost", given, where, token);
    }
    const { origin, protocol, host, hostname } = readUrl(given, where);
    const address = parseSocketAddress(/:\d+$/.test(host) ? host : `${host}:80`);
    if (token !== null && protocol === "http:" && hostname !== "localhost" && (address === null || !isLoopback(address))) {
      throw wrongUrl(where, `"${origin}" would carry the token unencrypted over the network: use https.`);
    }
    const tls = { ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert, key: key! }) };
    return new ApiConnection(new Agent({ connect: tls }), origin, origin, where, token);
  }

  /** What the API is called in errors. */
  get name(): string {
    return this.#shown;
  }

  /** Sends a JSON body by POST. Rejects with ZonemeterError `unavailable` where no whole answer comes. */
  async post(path: string, body: unknown, signal: AbortSignal): Promise<ApiAnswer> {
    const call = async (deadline: AbortSignal): Promise<ApiAnswer> => {
      const answer = await request(new URL(path, this.#origin), {
        method: "POST",
        headers: { "content-type": "application/json", ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }) },
        body: JSON.stringify(body),
        dispatcher: this.#agent,
        signal: deadline,
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    };
    try {
      // Not AbortSignal.timeout: Node 20 collects such a signal as garbage when only AbortSignal.any refers to it.
      return await withDeadline(CALL_DEADLINE_MS, "The call", call, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new ZonemeterError(
        "unavailable",
        `No answer from ${this.#shown} (${messageOf(error)}): start it with \`zonemeter up\`, or name another API with ${this.#where}.`,
        { cause: error },
      );
    }
  }

  close(): Promise<void> {
    // A call that was given up would be waited for by a gentle close.
    return this.#agent.destroy();
  }
}

function readUrl(given: string, where: UrlOrigin): URL {
  if (!URL.canParse(given)) throw wrongUrl(where, `"${given}" is not a URL: write it as ${DEFAULT_OPERATOR_URL}.`);
  const url = new URL(given);
  if (url.username !== "" || url.password !== "")
    throw wrongUrl(where, "holds a user or password: leave them out, and show a token with --token-file.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw wrongUrl(where, `"${given}" is not an http, https or unix URL: write it as ${DEFAULT_OPERATOR_URL}.`);
  return url;
}

function wrongUrl(where: UrlOrigin, what: string): ZonemeterError {
  return new ZonemeterError(where === URL_VARIABLE ? "config" : "usage", `${where} ${what}`);
}

/** What is no token is not sent, and not shown either: it may be another secret. */
async function readToken({ tokenFile }: ConnectionFlags, { env }: CommandContext): Promise<string | null> {
  let where = "$ZONEMETER_TOKEN";
  let text = env["ZONEMETER_TOKEN"] ?? "";
  if (tokenFile !== undefined) {
    where = `--token-file "${tokenFile}"`;
    try {
      text = await readFile(tokenFile, "latin1");
    } catch (error) {
      throw new ZonemeterError("usage", `${where} cannot be read: ${messageOf(error)}.`, { cause: error });
    }
  } else if (text === "") return null;
  const token = text.trim();
  if (!isToken(token)) throw new ZonemeterError("usage", `${where} holds no token as \`zonemeter token new\` prints it.`);
  return token;
}

async function readPem(file: string | undefined): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file);
  } catch (error) {
    throw new ZonemeterError("usage", `The file "${file}" cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}
