export {
  imageKey,
  type LaunchFilesDeps,
  launchFilesChore,
  metadataKey,
  publishLaunch,
  removeLaunchFiles,
} from './finish.js';
export type { MintStock } from './give-back.js';
export { MINTS_READY, startMintPool } from './mint-pool.js';
