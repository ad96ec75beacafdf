import { testOnPostgres } from './postgres-fixture.ts';
import { testJobs } from './jobs.conformance.ts';

await testOnPostgres(testJobs);
