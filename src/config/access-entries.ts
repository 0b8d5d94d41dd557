import { ZonemeterError, type Principal, type Project } from "../core/index.ts";
import type { AccessToml } from "./access-file.ts";
import type { AccessList } from "./access-list.ts";

type Rights = Pick<AccessToml["token"][number], "principal" | "silo" | "projects">;

/** The list that a token file of the right shape stands for. Throws ZonemeterError `config` where its entries do not go together. */
export function resolveAccess(file: string, toml: AccessToml): AccessList {
  const fail = (sentence: string): never => {
    throw new ZonemeterError("config", `${file}: ${sentence}.`);
  };
  const unique = (what: string, values: readonly string[]): void => {
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    if (twice !== undefined) fail(`two ${what} ${JSON.stringify(twice)}; each must be its own`);
  };
  if (toml.token.length + toml.certificate.length === 0)
    fail("it names no token and no certificate, so nobody could ask anything; make one with `zonemeter token new`");
  unique(
    "silos are called",
    toml.silo.map(({ name }) => name),
  );
  unique(
    "silos have the id",
    toml.silo.map(({ id }) => id),
  );
  unique(
    "projects have the id",
    toml.project.map(({ id }) => id),
  );
  unique(
    "tokens are called",
    toml.token.map(({ name }) => name),
  );
  unique(
    "certificates have the common name",
    toml.certificate.map(({ common_name }) => common_name),
  );
  const hashes = toml.token.map(({ sha256 }) => sha256.toLowerCase());
  const again = hashes.findIndex((hash, index) => hashes.indexOf(hash) !== index);
  if (again !== -1)
    fail(`token ${again + 1} (${JSON.stringify(toml.token[again]!.name)}) has the hash of another one; make it one of its own`);

  const siloId = (reference: string, who: string): string =>
    toml.silo.find(({ name, id }) => name === reference || id === reference.toLowerCase())?.id ??
    fail(`${who} names silo ${JSON.stringify(reference)}, which no [[silo]] declares`);
  const projects: Project[] = toml.project.map(({ name, id, silo }) => ({
    name,
    id,
    siloId: siloId(silo, `project ${JSON.stringify(name)}`),
  }));
  unique(
    "projects of one silo are called",
    projects.map(({ name, siloId: silo }) => `${silo}/${name}`),
  );
  const projectId = (reference: string, who: string): string => {
    const found = projects.filter(({ name, id }) => name === reference || id === reference.toLowerCase());
    if (found.length > 1) fail(`${who} names project ${JSON.stringify(reference)}, which several silos have; write its id`);
    return found[0]?.id ?? fail(`${who} names project ${JSON.stringify(reference)}, which no [[project]] declares`);
  };
  const principal = (name: string, rights: Rights, who: string): Principal => {
    const { principal: kind, silo, projects: named } = rights;
    if ((silo === undefined) === (kind === "silo_viewer"))
      fail(`${who} ${kind === "silo_viewer" ? "must name its silo" : `is ${kind} and takes no silo`}`);
    if ((named === undefined) === (kind === "project_viewer"))
      fail(`${who} ${kind === "project_viewer" ? "must list its projects" : `is ${kind} and takes no projects`}`);
    if (kind === "silo_viewer") return { name, kind, siloId: siloId(silo!, who) };
    if (kind === "project_viewer") return { name, kind, projectIds: named!.map((reference) => projectId(reference, who)) };
    return { name, kind };
  };
  return {
    projects,
    tokens: toml.token.map((entry) => ({
      sha256: Buffer.from(entry.sha256, "hex"),
      principal: principal(entry.name, entry, `token ${JSON.stringify(entry.name)}`),
    })),
    certificates: toml.certificate.map((entry) => ({
      commonName: entry.common_name,
      principal: principal(entry.common_name, entry, `certificate ${JSON.stringify(entry.common_name)}`),
    })),
  };
}
