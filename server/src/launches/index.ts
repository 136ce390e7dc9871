export {
  imageKey,
  type LaunchFilesDeps,
  launchFilesChore,
  metadataKey,
  publishLaunch,
  removeLaunchFiles,
} from './finish.js';
export { startMintStock } from './mint-pool.js';
