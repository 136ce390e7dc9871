// The service's packages export nothing for tests; its own tests write pools of the venues with these.
export { lookupTableData } from '../../server/dist/routing/aggregator/testing.js';
export { Lab } from '../../server/dist/routing/aggregator/venues/testing/lab.js';
export {
  missingPrograms,
  PAIR_WRITERS,
  type PoolRow,
  ROW_PROGRAMS,
  writeRow,
} from '../../server/dist/routing/aggregator/venues/testing/row.js';
