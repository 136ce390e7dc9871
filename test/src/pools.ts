// The service's packages export nothing for tests; its own tests write pools of the venues with these.
export { lookupTableData } from '../../server/dist/routing/metis/testing.js';
export {
  missingPrograms,
  type PoolRow,
  ROW_PROGRAMS,
  writeRow,
} from '../../server/dist/routing/metis/venues/testing/row.js';
