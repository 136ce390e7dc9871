/** A token, or a key in it, cannot be used. The message names neither its PIN nor a key. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}
