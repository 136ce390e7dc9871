export { imageKey, launchFiles, metadataKey, newHeaderKey } from './files.js';
export { type LaunchFilesDeps, launchFilesChore, publishLaunch } from './finish.js';
export { MINTS_READY, startMintPool } from './mint-pool.js';
