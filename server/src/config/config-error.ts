/** Settings that cannot be used. Each fault is one line for the operator and holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(faults.length === 1 ? faults[0] : `${faults.length} settings cannot be used:\n  ${faults.join('\n  ')}`);
  }
}
