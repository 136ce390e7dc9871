/** A setting that cannot be used. The message is one line for the operator and holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
