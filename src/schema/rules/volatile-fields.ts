import { isIntegerType, type FieldType } from "../../core/index.ts";
import { referencedFields, type Rule } from "./rule.ts";

/**
 * Names of what changes while the measured thing stays the same, or takes no end of values. Each value makes a new series, for good: such
 * facts belong in a log, or are a measurement.
 */
const VOLATILE_NAMES = new Set(
  (
    "pid ppid tid tgid init_pid zoneid instance_number crtime snaptime boot_time time date timestamp uptime age epoch sequence seq " +
    "counter offset nonce request_id trace_id span_id message text error_message query sql path_and_query user_agent"
  ).split(" "),
);

/** Endings of the same kind: process numbers, instants and lengths of time. */
const VOLATILE_ENDINGS = ["_pid", "_tid", "_at", "_ns", "_nsec", "_us", "_ms", "_time", "_timestamp", "_date", "_seq", "_uptime"];

/** Numbers that the system gives anew at each start. As uuids these names are fine. */
const VOLATILE_NUMBERS = new Set(["zone_id", "process_id", "thread_id"]);

export const VOLATILE_FIELD_RULES: readonly Rule[] = [
  {
    id: "field-volatile",
    refuses: "a listed field that would make new series without end: process and zone numbers, instants, free text",
    upstream: null,
    check(definition, report) {
      const used = referencedFields(definition);
      for (const [name, { type }] of Object.entries(definition.toml.fields)) {
        if (used.has(name) && isVolatile(name, type)) {
          report(
            ["fields", name],
            `field "${name}" (${type}) takes new values without end, and each makes a new series: leave it out`,
            "key",
          );
        }
      }
    },
  },
];

function isVolatile(name: string, type: FieldType): boolean {
  if (VOLATILE_NAMES.has(name) || VOLATILE_ENDINGS.some((ending) => name.endsWith(ending))) return true;
  return VOLATILE_NUMBERS.has(name) && isIntegerType(type);
}
