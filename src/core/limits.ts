/** Every limit of the product: what it protects, and what happens beyond it. Rooms add theirs here. */

/** Snapshots a producer keeps for collection; beyond it the oldest go and are counted as `ring_full`. About 3 h at 10 s and 10 zones. */
export const PRODUCER_RING_SNAPSHOTS = 20_000;

/** Reads of a source that the ring holds at least, however many zones one read has: four collections of 30 s at 10 s. */
export const PRODUCER_RING_READS = 12;

/** Snapshots of one read for which a producer's heap is kept small; with more of them memory is given for CPU. */
export const PRODUCER_SMALL_READ = 1_000;

/** Snapshots of a recording a producer reads ahead of their collection; a replay waits for room, so nothing of it is ever dropped. */
export const PRODUCER_REPLAY_SNAPSHOTS = 4_000;

/** Samples of one collection response; the rest waits for the next one. About 11 MB of JSON, 25 ms of CPU. */
export const PRODUCER_RESPONSE_SAMPLES = 10_000;

/**
 * Zone incarnations of recordings whose targets and metrics a producer keeps ready; beyond it all are made anew. Some 5 KiB each. Those of live sources
 * are kept as long as they are there, however many.
 */
export const PRODUCER_SUBJECTS = 5_000;

/** Distinct readings without a place in the schema that are logged; further ones are only counted. */
export const PRODUCER_LOGGED_READINGS = 100;

/** Collect intervals after its last request for which an acknowledging collector counts as alive. */
export const PRODUCER_COLLECTOR_ALIVE_INTERVALS = 3;

/** Bytes of one collection response a collector reads; beyond it the collection fails as `too_large`. */
export const COLLECTION_MAX_BYTES = 64 * 1024 * 1024;

/** Time one collection may take, upstream's figure. */
export const COLLECTION_TIMEOUT_MS = 30_000;

/** Producers one collector polls; beyond it the rest of the list is left alone and the log says so. */
export const COLLECTOR_MAX_PRODUCERS = 10_000;

/** Samples a collector holds before they are stored, upstream's figure; beyond it the oldest go and are counted as `queue_full`. */
export const COLLECTOR_QUEUE_SAMPLES = 100_000;

/** Samples that start an insert, and the time after which fewer do; upstream's figures. */
export const COLLECTOR_BATCH_SAMPLES = 1_000;
export const COLLECTOR_BATCH_INTERVAL_MS = 5_000;

/** Bytes of all collection responses that are being read at once; beyond it the one that needs more fails as `too_large`. */
export const COLLECTIONS_MAX_BYTES = 256 * 1024 * 1024;

/** Samples of one insert; more waiting ones go into the next. */
export const COLLECTOR_INSERT_SAMPLES = 10_000;

/** Samples that one request asks an acknowledging producer for: at first, and at the most. No request goes out for less than a part of the first. */
export const COLLECTOR_ASK_SAMPLES = 1_000;
export const COLLECTOR_ASK_MAX_SAMPLES = 10_000;
export const COLLECTOR_ASK_MIN_SAMPLES = 200;

/** Pause before a producer is asked again that has more to come but nothing now. */
export const COLLECTOR_MORE_PAUSE_MS = 200;

/** Time one insert may take before it is tried again with the same token. */
export const COLLECTOR_INSERT_TIMEOUT_MS = 60_000;

/** Time for which an insert is tried again while the store does not answer, and tries where it answers with a fault; then the samples of stock
 * producers are dropped as `insert_failed`, and the others go back to their producers. */
export const COLLECTOR_INSERT_RETRY_MS = 600_000;
export const COLLECTOR_INSERT_ATTEMPTS = 3;

/** How often the list of producers is read from Nexus, upstream's figure; while it has never held any and the collector is young, sooner. */
export const COLLECTOR_REFRESH_MS = 15_000;
export const COLLECTOR_FIRST_REFRESH_MS = 1_000;
export const COLLECTOR_YOUNG_MS = 120_000;

/** Time one reading of the list may take, all pages. */
export const COLLECTOR_REFRESH_TIMEOUT_MS = 60_000;

/** How often a collector samples its own counters, upstream's figure. */
export const COLLECTOR_SELF_METRICS_MS = 60_000;

/** Bytes of an OxQL query text, upstream's figure; beyond it the query is refused. */
export const QUERY_MAX_BYTES = 4_096;

/** Rows one query may fetch from the store, upstream's figure; beyond it the query is refused, saying what to narrow. */
export const QUERY_MAX_ROWS = 1_000_000;

/** Points that one alignment may make, upstream has no bound; beyond it the query is refused. Keeps an answer below some 100 MB of JSON. */
export const QUERY_MAX_POINTS = 2_000_000;

/** Windows of single timeseries from which on the store reduces them to groups itself. Below, reducing what comes out of it takes less time. */
export const QUERY_GROUP_WINDOWS = 500_000;

/** Periods that two neighbouring samples may be apart at an alignment, upstream's figure; beyond it the query is refused. */
export const QUERY_UPSAMPLE_FACTOR = 100;

/** Selections of one query that the store works on at once; the rest wait. */
export const QUERY_CONCURRENT_SELECTS = 4;

/** Alternatives of conditions that one selection hands to the store; where there are more, the query fetches more and filters itself. */
export const SELECT_MAX_ALTERNATIVES = 64;

/** Time that a running query works before it lets other work on the event loop have a turn. */
export const QUERY_SLICE_MS = 8;

/** Points that one step of an operation handles between looks at the clock. */
export const QUERY_SLICE_POINTS = 50_000;

/** Days that samples are kept. */
export const RETENTION_DAYS = 30;

/** Nesting of groups, parentheses and unary operators in an OxQL query; beyond it the query is refused. Keeps recursion off the end of the stack. */
export const QUERY_MAX_DEPTH = 256;

/** Alternatives, and comparisons in all of them together, of one filter's disjunctive normal form; beyond either it is refused. */
export const FILTER_MAX_ALTERNATIVES = 1_024;
export const FILTER_MAX_TERMS = 16_384;

/** Candidates one completion offers; the rest is left out, the closest come first. */
export const COMPLETION_MAX_SUGGESTIONS = 50;

/**
 * Bytes of target and metric texts a reader of collections remembers; beyond it those not seen lately are read anew. Texts are kept in two forms
 * and two generations, so that it comes to four times as much memory.
 */
export const WIRE_INTERN_BYTES = 16 * 1024 * 1024;

// Sources (live).

/** Zones whose identity is remembered; beyond it the longest gone are forgotten and may get another start time if they come back. */
export const IDENTITY_MAX_ENTRIES = 50_000;

/** Time after which a zone that was not seen again is forgotten, measured while the agent runs. */
export const IDENTITY_FORGET_AFTER_NS = 24n * 3_600n * 1_000_000_000n;

/** How far ahead of the last written stamp new stamps may run before the identity file is written again. After a crash a new incarnation may start this much late at worst. */
export const IDENTITY_STAMP_RESERVE_NS = 60n * 1_000_000_000n;

/** Bytes of the identity file that are read; a larger one is treated as damaged. */
export const IDENTITY_FILE_MAX_BYTES = 64 * 1024 * 1024;

/** How long a child that was killed is waited for; beyond it it is left to the kernel, as it sleeps where no signal reaches it. */
export const CHILD_REAP_MS = 5_000;

/** Bytes of stderr kept of one child; what comes after is read and dropped. */
export const CHILD_STDERR_MAX_BYTES = 16 * 1024;

/** Bytes of stdout of one `kstat` or `prstat` child; beyond it the child is stopped and the sample fails. About 10,000 zones. */
export const CHILD_STDOUT_MAX_BYTES = 32 * 1024 * 1024;

/** Time between asking a child's process group to end and killing it, and the time its output may stay open after its end. */
export const CHILD_KILL_GRACE_MS = 500;

/** Whole zonestat reports that wait to be read; beyond it the oldest go, with a diagnostic. */
export const ZONESTAT_MAX_REPORTS = 8;

/** Groups of one cgroup sample over all hierarchies; beyond it the rest are left out, with a diagnostic. */
export const CGROUP_MAX_GROUPS = 50_000;

/** Groups whose end is watched for; further ones are read on their interval alone, with a diagnostic. inotify allows a user 8,192 on small machines. */
export const CGROUP_MAX_WATCHES = 4_000;

/** Last readings of one group between two samples; a group that runs empty more often is not ending, and reading it each time would cost too much. */
export const CGROUP_MAX_FINAL_READS = 8;

/** Time that a source reads or parses, or its snapshots are taken in, before it lets other work on the event loop have a turn. */
export const SOURCE_SLICE_MS = 8;

/** Share of its period that one run of prstat, or one report of zonestat, may take; beyond it the period is doubled. */
export const SOURCE_MAX_COST_SHARE = 0.03;

/** The longest period that a dear source is stretched to. */
export const SOURCE_MAX_PERIOD_MS = 3_600_000;

// Sources (recorded text).

/** Bytes of one line of a tool's output; a longer line is dropped with a diagnostic. The tools' own lines stay below 1 KiB. */
export const TEXT_LINE_MAX_BYTES = 64 * 1024;

/** Findings a reader keeps until they are taken; beyond it they are only counted, and one more finding of each kind says how many. */
export const TEXT_DIAGNOSTICS_MAX = 1_000;

/** Zone names a reader keeps for sharing; beyond it they are collected anew. Protects memory where names change all the time. */
export const TEXT_NAMES_MAX = 20_000;

/** Rows of one zonestat or prstat report; beyond it the rest is dropped and the report counts as incomplete. */
export const TEXT_REPORT_MAX_ROWS = 100_000;

/** Readings of one printed snapshot; a line with more is damage. */
export const SNAPSHOT_LINE_MAX_READINGS = 1_000;

/** Reports that may stand open at once in a file that several zonestat runs wrote; beyond it the oldest is given up. */
export const ZONESTAT_MAX_OPEN_REPORTS = 16;

/** Statistics of one kstat snapshot; beyond it the rest of the snapshot is dropped with a diagnostic. 70 for each of 10,000 zones. */
export const KSTAT_SNAPSHOT_MAX_STATISTICS = 700_000;

/** Bytes of one object of `kstat -j`; a larger one is dropped with a diagnostic. */
export const KSTAT_OBJECT_MAX_BYTES = 1024 * 1024;

/** Bytes at the head of a text that are looked at to tell what it is. */
export const FORMAT_PROBE_BYTES = 64 * 1024;

/** Files of one replay; beyond it the replay is refused. Only those whose times overlap are open at once. */
export const REPLAY_MAX_FILES = 10_000;

/** Zones whose start time a replay remembers; beyond it those not seen for longest are forgotten. */
export const REPLAY_MAX_INCARNATIONS = 100_000;

/** Bytes of a recording that are read at a time. */
export const REPLAY_CHUNK_BYTES = 256 * 1024;

// HTTP.

/** Bytes of one request body, as on a deployed Nexus; beyond it the request is refused with 400. */
export const HTTP_BODY_MAX_BYTES = 1024 * 1024;

/** Time a client may take to send its headers; beyond it the request is refused with 408 and the connection cut. */
export const HTTP_HEADERS_TIMEOUT_MS = 10_000;

/** Time a client may take to send a whole request; beyond it the request is refused with 408 and the connection cut. */
export const HTTP_REQUEST_TIMEOUT_MS = 30_000;

/** Time a handler may take; beyond it its signal fires and the request is answered with 503. */
export const HTTP_HANDLER_TIMEOUT_MS = 60_000;

/** Time a client may take to read a response; beyond it the connection is cut. */
export const HTTP_RESPONSE_TIMEOUT_MS = 60_000;

/** Time a connection may stay open between requests; longer than collectors wait between collections. */
export const HTTP_KEEP_ALIVE_MS = 75_000;

/** How often connections are looked at for the two time limits of requests. */
export const HTTP_CONNECTION_CHECK_MS = 1_000;

/** Requests one server has in hand at once, until their responses are sent; beyond it requests are refused with 503. */
export const HTTP_CONCURRENT_REQUESTS = 256;

/** Connections one server keeps; beyond it new ones are closed at once. */
export const HTTP_MAX_CONNECTIONS = 1_024;

/** Bytes of a request's line and headers together; beyond it the request is refused with 431 and the connection cut. */
export const HTTP_HEADERS_MAX_BYTES = 16 * 1024;

/** Time a client may take for its TLS handshake; beyond it the connection is cut. */
export const HTTP_TLS_HANDSHAKE_MS = 10_000;

/** Bytes of the path of a Unix domain socket; a longer one is refused. Kernels take some 107. */
export const LISTEN_PATH_MAX_BYTES = 100;

/** Bytes of a token file; a larger one is refused. */
export const ACCESS_FILE_MAX_BYTES = 1024 * 1024;

/** Tokens in one token file; more are refused. Every request compares with each of them, which takes some 0.1 µs. */
export const ACCESS_MAX_TOKENS = 1_000;

/** Principals whose rates are remembered; beyond it those are forgotten that have asked for nothing lately. */
export const RATE_MAX_PRINCIPALS = 4_000;

/** Seconds of its rate that a principal may use at once. */
export const RATE_BURST_SECONDS = 2;

/** Items on one page of a listing, and the most a client gets if it asks for more; upstream's figures. */
export const PAGE_DEFAULT_ITEMS = 100;
export const PAGE_MAX_ITEMS = 10_000;

/** Characters of a page token, upstream's figure; a longer one is refused. */
export const PAGE_TOKEN_MAX_LENGTH = 512;

/** Bytes of a response that a client of the control-plane APIs reads; beyond it the call fails. A page of 10,000 producers is 3 MB. */
export const CLIENT_RESPONSE_MAX_BYTES = 16 * 1024 * 1024;

/** Time one call of the control-plane APIs may take; beyond it the call fails and is tried again by whoever made it. */
export const CLIENT_TIMEOUT_MS = 15_000;

/** Steps of a compiled `~=` pattern; beyond it the pattern is refused. Matching costs at most this per character. */
export const REGEX_MAX_STEPS = 2_000;

/** Nesting of groups in a `~=` pattern, and the largest count of a repetition (RE2's); beyond either the pattern is refused. */
export const REGEX_MAX_DEPTH = 100;
export const REGEX_MAX_REPEAT = 1_000;

/** Statements the embedded engine reads side by side; each holds one thread of the pool that file access uses too, of four. */
export const STORE_READ_SESSIONS = 2;

/** Statements that wait for a session, for reading and for writing each; beyond it a call is refused as busy. */
export const STORE_QUEUE_STATEMENTS = 256;

/** Time one statement may take, waiting included; then it is ended in the engine and the call fails. */
export const STORE_STATEMENT_TIMEOUT_MS = 30_000;

/** Time that closing waits for statements that run; reads are ended at once, inserts may finish. */
export const STORE_CLOSE_TIMEOUT_MS = 3_000;

/** Memory of the embedded engine as it counts it, and of one statement; beyond it statements fail and nothing else does. */
export const STORE_ENGINE_MEMORY_BYTES = 1_200_000_000;
export const STORE_STATEMENT_MEMORY_BYTES = 600_000_000;

/** Bytes of decompressed blocks and of marks that the embedded engine keeps for the next statement. */
export const STORE_BLOCK_CACHE_BYTES = 64_000_000;
export const STORE_MARK_CACHE_BYTES = 16_000_000;

/** Inserts per table whose tokens are remembered; an older one that comes again is stored again, and collapsed by readers. */
export const STORE_DEDUPLICATION_WINDOW = 1_000;

/** Days that a retention may have; the engine's expiry knows no time after 2106. */
export const STORE_RETENTION_MAX_DAYS = 10_000;

/** How far a sample's time may be ahead where samples expire at all; beyond it the sample is refused. A stamp of 2100 would never expire. */
export const STORE_FUTURE_MS = 86_400_000;

/** Value columns of one wide table; a schema that needs more is refused when the store opens. */
export const STORE_TABLE_COLUMNS = 512;

/** Series known for one table; samples of further ones are refused as `unstorable`. Some 600 bytes of memory each. */
export const STORE_TABLE_SERIES = 500_000;

/** Resolved pairs of fields and column kept for the next batch; beyond it all are resolved anew. Some 400 bytes each. */
export const STORE_RESOLVED_SAMPLES = 100_000;

/** Sentences of one insert's report; further causes are only counted. */
export const STORE_REPORT_MESSAGES = 20;

/** Alternatives of time and series in one statement; more are spread over several. */
export const STORE_STATEMENT_CLASSES = 64;

/** Bytes of one schema file that are read; beyond it the command ends, saying so. The longest of upstream's has about 10 KiB. */
export const SCHEMA_FILE_MAX_BYTES = 1024 * 1024;

/** Time that git has for one of its answers to `schema diff`; beyond it git is ended and the command fails, saying so. */
export const SCHEMA_REVISION_TIMEOUT_MS = 20_000;

// Registration.

/** Time one attempt to register may take, over all addresses of Nexus; beyond it the attempt has failed. */
export const REGISTRATION_TIMEOUT_MS = 30_000;

/** Shortest and longest wait before a lease is renewed, whatever lease Nexus grants. */
export const REGISTRATION_MIN_WAIT_MS = 250;
export const REGISTRATION_MAX_WAIT_MS = 3_600_000;

/** How often a collector registers again, so that a Nexus that lost its state learns of it. */
export const COLLECTOR_REGISTRATION_RENEW_MS = 60_000;

/** Producers a collector asks for on one page of its list. */
export const PRODUCER_LIST_PAGE_ITEMS = 1_000;

// Nexus.

/** Producers and collectors the standalone Nexus keeps; beyond it new ones are refused. */
export const NEXUS_MAX_PRODUCERS = 100_000;
export const NEXUS_MAX_COLLECTORS = 1_000;

/** Lease of a producer, upstream's figure; one that has not registered again within it is forgotten. */
export const NEXUS_LEASE_MS = 600_000;

/** How often leases are looked at, upstream's figure. */
export const NEXUS_EXPIRY_SWEEP_MS = 60_000;

/** Time one expiry notice to a collector may take; beyond it the collector is left to find out at its next refresh. */
export const NEXUS_NOTICE_TIMEOUT_MS = 5_000;

/** Bytes of the standalone Nexus's state file that are read; a larger one is treated as damaged. */
export const NEXUS_STATE_MAX_BYTES = 64 * 1024 * 1024;

/** Time the standalone Nexus gives requests in hand when it ends. */
export const NEXUS_CLOSE_DEADLINE_MS = 2_000;

// Configuration.

/** Bytes of a configuration file; a larger one is refused. */
export const CONFIG_MAX_BYTES = 1024 * 1024;

// Import.

/** Files of one import, and levels of folders below a named one; beyond either the command ends, saying so. */
export const IMPORT_MAX_FILES = 100_000;
export const IMPORT_MAX_DEPTH = 32;

/** Rows that are stored at once. Fewer cost the engine a third more time in merges, more take more memory (some 400 bytes a row, at the peak). */
export const IMPORT_BLOCK_ROWS = 300_000;

/** Sentences about single files and lines that an import prints; further ones are only counted. */
export const IMPORT_MESSAGES = 20;

/** Reasons that an import or a replay counts apart; beyond it they are counted together. */
export const IMPORT_REASONS = 100;

// The store's narrow layout and its server.

/** Timeseries that one database may learn from samples; samples of further names are refused as `unstorable`. Some 2 KiB of memory each. */
export const STORE_LEARNED_TIMESERIES = 10_000;

/** Age at which the field rows of a series are written again, well before any retention ends them. */
export const STORE_FIELDS_REFRESH_MS = 6 * 3_600_000;

/** Keys of series in one statement; more are spread over several. */
export const STORE_STATEMENT_KEYS = 20_000;

/** Statements that run on a ClickHouse server at once; the others wait for a connection. */
export const STORE_SERVER_CONNECTIONS = 16;

/** How often it is looked what other processes have stored of new timeseries on a server. */
export const STORE_REFRESH_MS = 15_000;
