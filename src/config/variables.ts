import { nearest } from "../core/index.ts";
import { environmentName, SETTINGS } from "./settings.ts";

/** Names the configuration file where no flag does. */
export const CONFIG_FILE_VARIABLE = "ZONEMETER_CONFIG";

const PREFIX = "ZONEMETER_";

/** What commands read beside settings: where the API is that they ask, and the token they show it. */
const OTHER_VARIABLES: readonly string[] = [CONFIG_FILE_VARIABLE, "ZONEMETER_URL", "ZONEMETER_TOKEN"];

type Environment = Readonly<Record<string, string | undefined>>;

/** One sentence for each variable that has our prefix and means nothing to us: most often a setting with a slip in its name. */
export function unknownVariables(env: Environment): string[] {
  const known = [...SETTINGS.map(environmentName), ...OTHER_VARIABLES];
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== "" && !known.includes(name))
    .filter(([name, value]) => !isServiceLink(name, value!))
    .map(([name]) => `The variable ${name} is no setting${advice(name.slice(PREFIX.length), known)}`)
    .sort();
}

function advice(rest: string, known: readonly string[]): string {
  const withoutSection = SETTINGS.filter(({ name }) => name === rest.toLowerCase()).map(environmentName);
  const near = nearest(
    rest,
    known.map((name) => name.slice(PREFIX.length).toLowerCase()),
  );
  const meant = withoutSection.length > 0 ? withoutSection : near === null ? [] : [`${PREFIX}${near.toUpperCase()}`];
  return meant.length > 0 ? `: did you mean ${meant.join(" or ")}?` : " and has no effect: take it away.";
}

/** Kubernetes sets these in every container of a namespace where a service is called `zonemeter` or `zonemeter-…`. */
function isServiceLink(name: string, value: string): boolean {
  return /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) || /^(tcp|udp|sctp):\/\//.test(value);
}
