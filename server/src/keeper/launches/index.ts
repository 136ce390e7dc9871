export { LAUNCH_MIGRATION_AREA } from '../../store/launch-migrations.js';
export {
  createMigrationKeeper,
  type MigrationKeeper,
  type MigrationKeeperDeps,
  startMigrationKeeper,
} from './keeper.js';
export { migrationSettlement } from './settlement.js';
