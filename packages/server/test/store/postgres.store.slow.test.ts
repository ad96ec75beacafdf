import { testOnPostgres } from './postgres-fixture.ts';
import { testStore } from './store.conformance.ts';

await testOnPostgres(testStore);
