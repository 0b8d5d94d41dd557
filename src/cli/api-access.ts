import { readAccessFile, type AccessList, type Config, type SettingName } from "../config/index.ts";
import {
  formatListenAddress,
  isLoopback,
  messageOf,
  systemClock,
  ZonemeterError,
  type ListenAddress,
  type Principal,
  type Project,
} from "../core/index.ts";
import { Admission, Authenticator, RateLimiter, readTls, type Listener, type TlsFiles, type TlsMaterial } from "../http/index.ts";
import { onHangup, type Logger } from "../runtime/index.ts";
import { CUSTOMER_API_PORT_OFFSET, LOOPBACK, OPERATOR_API_PORT_OFFSET } from "./ports.ts";

export type ApiName = "operator" | "customer";

/** Paths that monitors of the process may get without saying who they are. */
const OPEN_PATHS: Readonly<Record<ApiName, readonly string[]>> = { operator: ["/healthz", "/readyz"], customer: [] };

/** Whom a listener of this machine alone takes everybody for, where there is no token file. */
const LOCAL: Readonly<Record<ApiName, Principal>> = {
  operator: { name: "local", kind: "operator" },
  customer: { name: "local", kind: "fleet_viewer" },
};

/** Where both APIs listen, and who may ask them: what `[api]` of the configuration comes to. */
export interface ApiAccess {
  readonly listen: Readonly<Record<ApiName, ListenAddress>>;
  readonly socketMode: number;
  readonly tls: TlsMaterial | null;
  readonly admission: Readonly<Record<ApiName, Admission>>;
  readonly projects: () => readonly Project[];
  /** From now on SIGHUP also changes the certificate of this listener. */
  follow(listener: Listener): void;
  /** Reads the files again, as SIGHUP does. A file that is wrong leaves everything as it is, and the log says so in one sentence. */
  reload(): Promise<void>;
  close(): void;
}

export interface AccessOptions {
  readonly config: Pick<Config, "api" | "up">;
  readonly named: SettingName;
  readonly logger: Logger;
}

/** Reads what `[api]` names. Throws ZonemeterError `config` where a listener would let in whoever comes. */
export async function openApiAccess({ config: { api, up }, named, logger }: AccessOptions): Promise<ApiAccess> {
  const listen = {
    operator: api.operatorListen ?? { host: LOOPBACK, port: up.portBase + OPERATOR_API_PORT_OFFSET },
    customer: api.customerListen ?? { host: LOOPBACK, port: up.portBase + CUSTOMER_API_PORT_OFFSET },
  };
  const files = tlsFiles(api, named);
  for (const name of ["operator", "customer"] as const) refuseOpenDoor(name, listen[name], api, named);
  const tls = files === null ? null : await readTls(files);
  let list: AccessList | null = api.tokenFile === null ? null : await readAccessFile(api.tokenFile);
  const authenticator = list === null ? null : new Authenticator(list);
  // One rate for both APIs: a principal gains nothing by asking here and there.
  const rate = new RateLimiter(api.rateLimit, systemClock);
  const admission = (name: ApiName): Admission =>
    new Admission({
      who: authenticator ?? LOCAL[name],
      admits: ({ kind }) => name === "customer" || kind === "operator",
      openPaths: OPEN_PATHS[name],
      rate,
    });

  const listeners: Listener[] = [];
  const reload = async (): Promise<void> => {
    try {
      // Both are read before either counts.
      const [freshTls, freshList] = await Promise.all([
        files === null ? null : readTls(files),
        api.tokenFile === null ? null : readAccessFile(api.tokenFile),
      ]);
      if (freshTls !== null) for (const listener of listeners) listener.replaceTls(freshTls);
      if (freshList !== null) authenticator!.replace((list = freshList));
      logger.info({ tokenFile: api.tokenFile, tls: files?.cert ?? null }, "the token file and certificates were read again");
    } catch (error) {
      logger.error({ error: messageOf(error) }, "what SIGHUP asked to read again is wrong; everything stays as it was");
    }
  };
  const nothing = (): void => undefined;
  const close = files === null && list === null ? nothing : onHangup(() => void reload());
  return {
    listen,
    socketMode: api.socketMode,
    tls,
    admission: { operator: admission("operator"), customer: admission("customer") },
    projects: () => list?.projects ?? [],
    follow: (listener) => void listeners.push(listener),
    reload,
    close,
  };
}

function tlsFiles({ tlsCert, tlsKey, clientCa, tokenFile }: Config["api"], named: SettingName): TlsFiles | null {
  const refuse = (sentence: string): never => {
    throw new ZonemeterError("config", sentence);
  };
  if ((tlsCert === null) !== (tlsKey === null))
    refuse(`${named(tlsCert === null ? "api.tls_key" : "api.tls_cert")} is set alone: set api.tls_cert and api.tls_key, or neither.`);
  if (clientCa !== null && tlsCert === null)
    refuse(`${named("api.client_ca")} is set, and clients show certificates over TLS only: set api.tls_cert and api.tls_key too.`);
  if (clientCa !== null && tokenFile === null)
    refuse(
      `${named("api.client_ca")} is set, and nothing says whom its certificates stand for: name them in a file and set api.token_file.`,
    );
  return tlsCert === null ? null : { cert: tlsCert, key: tlsKey!, clientCa };
}

function refuseOpenDoor(name: ApiName, listen: ListenAddress, { socketMode, tlsCert, tokenFile }: Config["api"], named: SettingName): void {
  const at = `${named(`api.${name}_listen`)} is ${formatListenAddress(listen)}`;
  if ("path" in listen) {
    if ((socketMode & 0o007) === 0 || tokenFile !== null) return;
    throw new ZonemeterError(
      "config",
      `${at} with ${named("api.socket_mode")} ${socketMode.toString(8).padStart(4, "0")}, which lets every user of this machine in: set api.token_file, or a mode such as 0660.`,
    );
  }
  if (isLoopback(listen)) return;
  const missing = [...(tlsCert === null ? ["api.tls_cert", "api.tls_key"] : []), ...(tokenFile === null ? ["api.token_file"] : [])];
  if (missing.length === 0) return;
  throw new ZonemeterError(
    "config",
    `${at}, which other machines can reach, without TLS and tokens: set ${missing.join(", ")}, or listen on ${LOOPBACK}.`,
  );
}
