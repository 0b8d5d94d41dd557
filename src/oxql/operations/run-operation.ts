import type { Get, Group, Operation } from "../ast.ts";
import type { Table } from "../table.ts";
import { align } from "./align.ts";
import type { OperationContext } from "./context.ts";
import { filter } from "./filter.ts";
import { groupBy } from "./group-by.ts";
import { join } from "./join.ts";
import { limit } from "./limit.ts";
import { map } from "./map.ts";
import { rank } from "./rank.ts";

/** Operations that take tables; a get and a group make them. */
export type TableOperationNode = Exclude<Operation, Get | Group>;

/** Runs one operation in one go. The tables are not changed. */
export function runOperation(tables: readonly Table[], operation: TableOperationNode, context: OperationContext): Table[] {
  switch (operation.kind) {
    case "filter":
      return filter(tables, operation, context);
    case "align":
      return align(tables, operation, context);
    case "group_by":
      return groupBy(tables, operation, context);
    case "join":
      return join(tables, operation, context);
    case "limit":
      return limit(tables, operation, context);
    case "rank":
      return rank(tables, operation, context);
    case "map":
      return map(tables, operation, context);
  }
}
