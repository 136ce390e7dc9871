export {
  imageKey,
  type LaunchFilesDeps,
  launchFilesChore,
  metadataKey,
  publishLaunch,
} from './finish.js';
export { MINTS_READY, startMintPool } from './mint-pool.js';
