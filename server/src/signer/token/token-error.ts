import { KeyManagementError } from '../key-management.js';

/** A token, or a key in it, cannot be used. The message names neither its PIN nor a key. */
export class TokenError extends KeyManagementError {
  override readonly name: string = 'TokenError';
}

/** The token does not take its PIN, and locks itself if that is tried again and again. */
export class PinRefused extends TokenError {
  override readonly name = 'PinRefused';
}
