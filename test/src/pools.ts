// The service's packages export nothing for tests; its own tests write pools of the venues with these.
export { lookupTableData } from '../../server/dist/routing/aggregator/testing.js';
export {
  missingPrograms,
  type PoolRow,
  ROW_PROGRAMS,
  writeRow,
} from '../../server/dist/routing/aggregator/venues/testing/row.js';
