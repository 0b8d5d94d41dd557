import { ZonemeterError, type Principal, type Project } from "../core/index.ts";

/**
 * The project that a principal means by a name or id. Throws ZonemeterError `not_found` alike where there is none and where the principal may
 * not read it, and `usage` where several have the name.
 */
export function findProject(nameOrId: string, principal: Principal, projects: readonly Project[]): Project {
  const id = nameOrId.toLowerCase();
  const found = projects.filter((project) => isReadable(project, principal) && (project.name === nameOrId || project.id === id));
  if (found.length > 1) {
    throw new ZonemeterError("usage", `Several silos have a project ${JSON.stringify(nameOrId)}: ask for it by its id.`);
  }
  if (found[0] === undefined) throw new ZonemeterError("not_found", `There is no project ${JSON.stringify(nameOrId)}.`);
  return found[0];
}

/** As upstream has it: rights on the fleet reach down to silos, and those on a silo to its projects. */
function isReadable(project: Project, principal: Principal): boolean {
  switch (principal.kind) {
    case "operator":
    case "fleet_viewer":
      return true;
    case "silo_viewer":
      return project.siloId === principal.siloId;
    case "project_viewer":
      return principal.projectIds.includes(project.id);
  }
}

/** Throws ZonemeterError `forbidden` where a principal may not read what is not about one project. */
export function requireFleet({ kind }: Principal): void {
  if (kind === "operator" || kind === "fleet_viewer") return;
  throw new ZonemeterError(
    "forbidden",
    "Only viewers of the fleet may ask for this; ask for one project with POST /v1/timeseries/query?project=NAME.",
  );
}
