// The service's packages export nothing for tests; its own tests start PostgreSQL, and look into it, with these.
export { openStore, type Store } from '../../server/dist/store/index.js';
export { startPostgres, type TestPostgres } from '../../server/dist/store/testing.js';
