// Generated from openapi/nexus-producers.json by tools/generate.mjs; do not edit. Run `make gen` instead.

export { cpapiAssignedProducersList, cpapiCollectorsPost, cpapiProducersPost, type Options } from "./sdk.gen.ts";
export type {
  ClientOptions,
  CpapiAssignedProducersListData,
  CpapiAssignedProducersListError,
  CpapiAssignedProducersListErrors,
  CpapiAssignedProducersListResponse,
  CpapiAssignedProducersListResponses,
  CpapiCollectorsPostData,
  CpapiCollectorsPostError,
  CpapiCollectorsPostErrors,
  CpapiCollectorsPostResponse,
  CpapiCollectorsPostResponses,
  CpapiProducersPostData,
  CpapiProducersPostError,
  CpapiProducersPostErrors,
  CpapiProducersPostResponse,
  CpapiProducersPostResponses,
  Duration,
  Error,
  IdSortMode,
  OximeterInfo,
  ProducerEndpoint,
  ProducerEndpointResultsPage,
  ProducerKind,
  ProducerRegistrationResponse,
} from "./types.gen.ts";
