export { startNexus, type Nexus, type NexusOptions } from "./start.ts";
