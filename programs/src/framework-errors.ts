/** Errors of the framework that the public interfaces are written in, as far as our programs use them, by number. */
export const FRAMEWORK_ERRORS = {
  101: 'InstructionFallbackNotFound',
  102: 'InstructionDidNotDeserialize',
  2000: 'ConstraintMut',
  2001: 'ConstraintHasOne',
  2006: 'ConstraintSeeds',
  2012: 'ConstraintAddress',
  2014: 'ConstraintTokenMint',
  2022: 'ConstraintMintTokenProgram',
  3002: 'AccountDiscriminatorMismatch',
  3005: 'AccountNotEnoughKeys',
  3007: 'AccountOwnedByWrongProgram',
  3008: 'InvalidProgramId',
  3010: 'AccountNotSigner',
  3012: 'AccountNotInitialized',
} as const;
