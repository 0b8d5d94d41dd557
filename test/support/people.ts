import type { AccessList } from "../../src/config/index.ts";
import type { Principal, Project } from "../../src/core/index.ts";
import { newToken } from "../../src/http/index.ts";

const uuid = (number: number): string => `0000000${number}-aaaa-4bbb-8ccc-dddddddddddd`;

export const SILO_OF_SHOP = uuid(1);
export const SILO_OF_BANK = uuid(2);

/** Two silos with a project `web` each, and one with another. */
export const PROJECTS = {
  shopWeb: { name: "web", id: uuid(3), siloId: SILO_OF_SHOP },
  shopTill: { name: "till", id: uuid(4), siloId: SILO_OF_SHOP },
  bankWeb: { name: "web", id: uuid(5), siloId: SILO_OF_BANK },
} as const satisfies Record<string, Project>;

export const PEOPLE = {
  operator: { name: "on call", kind: "operator" },
  fleet: { name: "fleet wall", kind: "fleet_viewer" },
  silo: { name: "shop keeper", kind: "silo_viewer", siloId: SILO_OF_SHOP },
  project: { name: "till maker", kind: "project_viewer", projectIds: [PROJECTS.shopTill.id] },
} as const satisfies Record<string, Principal>;

export type Person = keyof typeof PEOPLE;

/** A fresh token for everyone, and the list that knows them. */
export function tokensForAll(): { readonly list: AccessList; readonly tokens: Readonly<Record<Person, string>> } {
  const made = Object.entries(PEOPLE).map(([person, principal]) => ({ person, principal, ...newToken() }));
  return {
    list: {
      tokens: made.map(({ principal, sha256 }) => ({ principal, sha256: Buffer.from(sha256, "hex") })),
      certificates: [{ commonName: "dashboard", principal: { name: "dashboard", kind: "operator" } }],
      projects: Object.values(PROJECTS),
    },
    tokens: Object.fromEntries(made.map(({ person, token }) => [person, token])) as Record<Person, string>,
  };
}
