// `@grainline/server/testing`: the parts of the service that other packages' tests use. No package publishes it.
export { jsonBody } from '../src/api/request-schemas.ts';
export { CHUNK_SIZE, optionFields } from '../src/fields/field-table.ts';
export { OPERATION_LIST } from '../src/api/operations.ts';
export { deploymentOf } from '../src/catalog.ts';
export { memoryDownloader } from './http/fake-service.ts';
export { startTestService, type TestService } from './http/running-service.ts';
