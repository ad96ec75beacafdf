import { testOnPostgres } from './postgres-fixture.ts';
import { testPayments } from './payments.conformance.ts';

await testOnPostgres(testPayments);
