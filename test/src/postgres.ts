// The service's packages export nothing for tests; its own tests start PostgreSQL, and look into it, with these.
export { openStore } from '../../server/dist/store/postgres/open-store.js';
export type { Store } from '../../server/dist/store/sql.js';
export {
  type DatabaseProxy,
  type OwnPostgres,
  startDatabaseProxy,
  startPostgres,
  type TestPostgres,
  usePostgres,
} from '../../server/dist/store/testing.js';
