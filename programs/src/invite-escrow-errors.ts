import { FRAMEWORK_ERRORS } from './framework-errors.js';

/** Errors of the invite program by number: the public interface's, before them those of its framework. */
export const INVITE_ERRORS = {
  ...FRAMEWORK_ERRORS,
  6000: 'MathOverflow',
  6001: 'AmountBelowMinimumLamports',
  6002: 'NotYetExpired',
  6003: 'Expired',
  6004: 'ZeroAmount',
} as const;
