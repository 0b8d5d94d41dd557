/**
 * The one error class of the product. `code` is stable and is a row of ERROR_CODES; `message` is one sentence for the person who
 * caused the error, naming the value and what to do; `cause` is for the log only.
 */
export class ZonemeterError extends Error {
  readonly code: ErrorCode;
  /** Where in a text the error is, if it is about a text. */
  readonly position: TextPosition | null;
  /** A finer reason within the code where the field has names for them, such as OxQL's error kinds. */
  readonly kind: string | null;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; position?: TextPosition; kind?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ZonemeterError";
    this.code = code;
    this.position = options.position ?? null;
    this.kind = options.kind ?? null;
  }

  /** Process exit code that this error leads to. */
  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }

  /** HTTP status that this error leads to. */
  get status(): number {
    return ERROR_CODES[this.code].status;
  }
}

/** Offsets in UTF-16 code units; line and column count from 1. */
export interface TextPosition {
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  readonly column: number;
}

/** Every code: exit code of a command that ends with it, HTTP status of a request that ends with it, and when it happens. */
export const ERROR_CODES = {
  usage: { exit: 2, status: 400, when: "a flag, argument or request parameter is wrong" },
  config: { exit: 2, status: 500, when: "the configuration file, environment or schema files are wrong" },
  invalid_input: { exit: 1, status: 400, when: "input data could not be read as what it should be" },
  query: { exit: 1, status: 400, when: "an OxQL query was refused" },
  not_found: { exit: 1, status: 404, when: "the named thing does not exist" },
  unauthorized: { exit: 1, status: 401, when: "no valid credentials were given" },
  forbidden: { exit: 1, status: 403, when: "the principal may not do this" },
  conflict: { exit: 1, status: 409, when: "another process or request holds what this one needs" },
  limit: { exit: 1, status: 400, when: "a limit of core/limits.ts was reached" },
  output: { exit: 1, status: 500, when: "what a command prints cannot be written" },
  unavailable: { exit: 3, status: 503, when: "a needed service, source or platform part is missing or does not answer" },
  internal: { exit: 1, status: 500, when: "a defect of the product" },
} as const satisfies Record<string, { exit: number; status: number; when: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The message of anything thrown, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s*\n\s*/g, " ").trim();
}
