export type {
  ChainConfig,
  Config,
  FeeTable,
  LogLevel,
  PriceSource,
  Role,
  S3Config,
  TierConfig,
  TokenConfig,
} from './config.js';
export { ConfigError } from './config-error.js';
export { dataFolder } from './data-folder.js';
export { describeConfig } from './describe.js';
export { loadConfig } from './load.js';
export { settingsFileSchema } from './settings/schema.js';
export { knownKeyOf, SANDBOX_KEY } from './settings/service.js';
export { valueText } from './settings/value-text.js';
export { type ShownSetting, type ShownSettings, showSettings } from './show.js';
export { createTokenList, type ListedToken, type TokenList } from './token-list.js';
