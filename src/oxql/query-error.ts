import { ZonemeterError, type TextPosition } from "../core/index.ts";
import { showPlace } from "./caret.ts";

/** Why a query was refused: the finer `kind` of every error of this room. Where upstream refuses the same, the name is upstream's. */
export const QUERY_ERROR_KINDS = {
  parse: "the text is not a query, or is too long",
  unknown_timeseries: "no timeseries has this name",
  invalid_identifier: "a filter or map names something that the table does not have",
  type_mismatch: "a literal does not fit what it is compared with, or an operation does not fit the metric",
  unsupported_filter_identifier: "a filter names a part of a histogram",
  datum_on_nd_table: "`datum` in a filter on a joined table",
  start_time_not_cumulative: "a filter on `start_time` where there is none",
  too_complex: "a filter's normal form, or the nesting of the text, passes its limit",
  full_table_scan: "a get that neither a filter nor a limit reaches",
  not_aligned: "group_by, join or map of data that is not aligned",
  non_numeric: "align, group_by or map of data that are not numbers",
  not_implemented: "the operation does not exist in the asked-for dialect",
  single_table_required: "group_by of several tables",
  multiple_tables_required: "join of one table",
  multi_dimensional: "align, group_by or a ranking of joined data",
  unknown_group_field: "group_by names a field that the table does not have",
  join_field_mismatch: "the tables of a join have different fields",
  join_period_mismatch: "the tables of a join have different periods",
  join_alignment_mismatch: "the tables of a join are aligned to different times",
  empty_input: "group_by of a timeseries without points, in the upstream dialect",
  upsample_limit: "two samples are too many periods apart",
  delta_overlap: "a counter's rows overlap in time",
  delta_bins: "a histogram's bins changed within one epoch",
  delta_underflow: "a histogram's counts fell within one epoch",
  overflow: "a value does not fit 64 bits",
  row_limit: "more rows than one query may fetch",
  point_limit: "more points than one align may make",
  join_ambiguous: "a timeseries of a join on has several partners",
} as const;

export type QueryErrorKind = keyof typeof QUERY_ERROR_KINDS;

/** An error of code `query`. `sentence` says what is wrong and what to write instead; `withPlace` adds the caret lines. */
export function queryError(kind: QueryErrorKind, sentence: string, position?: TextPosition): ZonemeterError {
  return new ZonemeterError("query", sentence, position === undefined ? { kind } : { kind, position });
}

/**
 * Runs `work`; a query error that it throws gets the line of `text` and a caret below the place added to its message, once. Every
 * public step from a text or a tree goes through this, so inner code only names positions.
 */
export function withPlace<T>(text: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw placed(text, error);
  }
}

/** What `withPlace` throws, for code that catches on its own (async steps). Other errors come back as they are. */
export function placed(text: string, error: unknown): unknown {
  if (!(error instanceof ZonemeterError) || error.code !== "query" || error.position === null || error.message.includes("\n")) return error;
  const message = `${error.message}\n${showPlace(text, error.position)}`;
  const kind = error.kind === null ? {} : { kind: error.kind };
  return new ZonemeterError("query", message, { position: error.position, cause: error.cause, ...kind });
}
