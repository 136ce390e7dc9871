// The service's packages export nothing for tests; its own tests start PostgreSQL with this.
export { startPostgres, type TestPostgres } from '../../server/dist/store/testing.js';
