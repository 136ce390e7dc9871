export {
  imageKey,
  type LaunchFilesDeps,
  launchFilesChore,
  metadataKey,
  publishLaunch,
  removeLaunchFiles,
} from './finish.js';
export { startMintPool } from './mint-pool.js';
